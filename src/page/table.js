// The table of games. The document has only the visible rows, and the server is asked only for
// their pages.

import { ask, byId, dateText, eloText, kept, known, latest, make, number, resultText } from "./common.js";

const REM = parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
const PAGE = 100;
const KEPT_PAGES = 80;

// Browsers limit the height of an element; a longer table is scrolled in larger steps.
const HEIGHT = 8_000_000;

// Name of the column, title, sort key, the least width in rem and its share of what is left.
// Columns that do not fit are left out, the last of `LEAST` first.
const COLUMNS = [
  ["number", "Game", "number", 0, 0],
  ["archive", "Archive", null, 7, 0.7],
  ["white", "White", "white", 6.4, 1.2],
  ["white_elo", "Elo", "white-elo", 2.3, 0],
  ["black", "Black", "black", 6.4, 1.2],
  ["black_elo", "Elo", "black-elo", 2.3, 0],
  ["result", "Result", "result", 2.9, 0],
  ["date", "Date", "date", 5.1, 0],
  ["ply", "At", null, 2.9, 0],
  ["eco", "ECO", "eco", 2.4, 0],
  ["plies", "Moves", "plies", 3, 0],
  ["event", "Event", "event", 6, 1.3],
];
const LEAST = ["number", "white", "black", "result", "date", "ply", "white_elo", "black_elo", "eco", "event", "archive", "plies"];

const GAP = 0.5;

// Below this width a game takes several lines.
const NARROW = 380;

// The move behind which a game has the position, or whatever else was asked for: "at 12.".
const plyText = ({ ply }) => (!ply ? "" : `${Math.ceil(ply / 2)}${ply % 2 ? "." : "\u2026"}`);

export class GameTable {
  constructor({ onOpen, onSort, onFailure, archives, sorts }) {
    Object.assign(this, { onOpen, onSort, onFailure, archives });
    [this.scroller, this.spacer, this.rows] = ["games", "spacer", "rows"].map(byId);
    this.head = byId("heads");
    this.total = 0;
    this.pages = new Map();
    this.wanted = new Set();
    this.selected = null;
    this.opened = null;
    // The place in the table, in pixels, if every row were really there.
    this.place = 0;
    this.lastTop = 0;
    this.next = latest();
    this.hiddenColumns = new Set((kept.get("columns") ?? "").split(" "));
    this.scroller.addEventListener("scroll", () => this.scrolled(), { passive: true });
    this.scroller.addEventListener("keydown", (event) => this.key(event));
    this.rows.addEventListener("click", (event) => {
      const row = event.target.closest("[data-row]");
      if (row) this.open(Number(row.dataset.row));
    });
    new ResizeObserver(() => {
      this.heads();
      this.paint();
    }).observe(this.scroller);
    const titles = new Map(COLUMNS.map(([, title, key]) => [key, title]));
    const words = { "white-elo": "White's Elo", "black-elo": "Black's Elo", plies: "Moves", standard: "the standard's order", number: "Number" };
    const title = (key) => words[key] ?? titles.get(key) ?? key[0].toUpperCase() + key.slice(1).replaceAll("-", " ");
    this.sorting = byId("sorting");
    this.sorting.append(...sorts.map((key) => make("option", { value: key }, title(key))));
    this.sorting.addEventListener("change", () => this.onSort(this.sorting.value, false));
    byId("reverse").addEventListener("click", () => this.onSort(this.sort, !this.reverse));
    this.chooser();
    [this.sort, this.reverse] = ["number", false];
    this.heads();
  }

  // Lets the user choose columns.
  chooser() {
    const boxes = COLUMNS.slice(1).filter(([name]) => name !== "archive" || this.archives.length > 1).map(([name, title, key]) => {
      const change = (event) => {
        if (event.target.checked) this.hiddenColumns.delete(name);
        else this.hiddenColumns.add(name);
        kept.set("columns", [...this.hiddenColumns].join(" "));
        this.heads();
        this.paint();
      };
      const label = title === "Elo" ? (key === "white-elo" ? "White's Elo" : "Black's Elo") : title;
      return make("label", {}, make("input", { type: "checkbox", checked: !this.hiddenColumns.has(name), change }), label);
    });
    byId("column-list").replaceChildren(...boxes);
  }

  // The columns that the user wants and that fit.
  columns() {
    const room = this.scroller.clientWidth / REM - 0.7;
    const isThere = { archive: this.archives.length > 1, ply: this.hasPlies };
    const wanted = COLUMNS.filter(([name]) => !this.hiddenColumns.has(name) && (isThere[name] ?? true));
    const digits = number(Math.max(0, ...this.archives.map((archive) => archive.games))).length;
    this.numberWidth = Math.max(3.2, digits * 0.52);
    const width = (list) => list.reduce((sum, column) => sum + (column[0] === "number" ? this.numberWidth : column[3]) + GAP, 0);
    const shown = [...wanted];
    for (const name of [...LEAST].reverse()) {
      if (width(shown) <= room) break;
      const at = shown.findIndex((column) => column[0] === name);
      if (at >= 0 && shown.length > 4) shown.splice(at, 1);
    }
    // The rating of one player only would be mistaken for that of the game.
    const isLeftOut = wanted.some((column) => column[1] === "Elo" && !shown.includes(column));
    return isLeftOut ? shown.filter((column) => column[1] !== "Elo") : shown;
  }

  get isNarrow() {
    return this.scroller.clientWidth < NARROW;
  }

  heads() {
    this.shown = this.columns();
    this.scroller.classList.toggle("narrow", this.isNarrow);
    const tracks = this.shown.map(([name, , , least, share]) => (name === "number" ? `${this.numberWidth}rem`
      : share ? `minmax(${least}rem, ${share}fr)` : `${least}rem`));
    this.scroller.style.setProperty("--tracks", tracks.join(" "));
    const cells = this.shown.map(([name, title, key]) => {
      const isSorted = key === this.sort;
      const arrow = isSorted ? (this.reverse ? "\u2193" : "\u2191") : "";
      const click = () => this.onSort(key, isSorted ? !this.reverse : false);
      const order = isSorted ? (this.reverse ? "descending" : "ascending") : undefined;
      const content = key ? make("button", { type: "button", click, title: `Sort by ${title}` }, title + arrow) : title;
      return make("span", { class: `cell ${name}`, role: "columnheader", "aria-sort": order }, content);
    });
    this.head.replaceChildren(...cells);
    this.sorting.value = this.sort;
    byId("reverse").setAttribute("aria-pressed", String(Boolean(this.reverse)));
  }

  // Shows the answer to a search: `first` is its first page, `parameters` ask for the others.
  show(first, parameters, sort, reverse) {
    this.signal = this.next();
    this.parameters = parameters;
    this.total = first.total;
    this.edition = first.edition;
    this.pages = new Map([[Math.floor((first.offset ?? 0) / PAGE), first.rows]]);
    this.hasPlies = first.rows.some((row) => row.ply !== null);
    this.wanted = new Set();
    this.selected = null;
    [this.sort, this.reverse] = [sort, reverse];
    this.heads();
    this.scroller.setAttribute("aria-rowcount", this.total + 1);
    this.measure();
    this.spacer.style.height = `${Math.min(HEIGHT, this.total * this.row)}px`;
    this.place = this.lastTop = 0;
    this.scroller.scrollTop = 0;
    this.paint();
    // The game that is open stands in the middle, if it was found.
    if (typeof first.place === "number") {
      this.selected = first.place;
      if ((first.place + 1) * this.row > this.height) this.go(first.place * this.row - this.height / 2);
      else this.paint();
    }
  }

  // The height that the rows have.
  get height() {
    return this.scroller.clientHeight - this.head.offsetHeight;
  }

  measure() {
    this.row = parseFloat(getComputedStyle(this.scroller).getPropertyValue("--row")) || 30;
  }

  // The greatest place, and how many pixels of the table one pixel of scrolling stands for.
  get range() {
    const places = Math.max(0, this.total * this.row - this.height);
    const pixels = Math.max(1, this.scroller.scrollHeight - this.scroller.clientHeight);
    return { places, scale: Math.max(1, places / pixels) };
  }

  scrolled() {
    const top = this.scroller.scrollTop;
    const { places, scale } = this.range;
    const step = top - this.lastTop;
    this.lastTop = top;
    if (step === 0) return;
    const isSmall = scale > 1 && Math.abs(step) < 2 * this.scroller.clientHeight;
    const end = this.scroller.scrollHeight - this.scroller.clientHeight;
    if (top <= 0) this.place = 0;
    else if (top >= end - 1) this.place = places;
    else this.place = isSmall ? this.place + step : top * scale;
    this.place = Math.min(places, Math.max(0, this.place));
    this.paint();
  }

  // Moves to a place, and the scroll bar with it.
  go(place) {
    const { places, scale } = this.range;
    this.place = Math.min(places, Math.max(0, place));
    this.scroller.scrollTop = this.place / scale;
    this.lastTop = this.scroller.scrollTop;
    this.paint();
  }

  paint() {
    const old = this.row;
    this.measure();
    if (old && old !== this.row) {
      const first = this.place / old;
      this.spacer.style.height = `${Math.min(HEIGHT, this.total * this.row)}px`;
      this.place = first * this.row;
    }
    const { height } = this;
    const first = Math.floor(this.place / this.row);
    const last = Math.min(this.total, Math.ceil((this.place + height) / this.row));
    const shown = [];
    for (let at = first; at < last; at += 1) shown.push(this.line(at));
    this.rows.replaceChildren(...shown);
    this.rows.style.transform = `translateY(${first * this.row - this.place}px)`;
    if (this.selected !== null) this.scroller.setAttribute("aria-activedescendant", `row-${this.selected}`);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.fetch(first, last), 40);
  }

  game(at) {
    return this.pages.get(Math.floor(at / PAGE))?.[at % PAGE];
  }

  line(at) {
    const game = this.game(at);
    const isOpened = game && this.opened && game.archive === this.opened[0] && game.number === this.opened[1];
    const row = make("div", { class: "row", role: "row", id: `row-${at}`, "data-row": at, "aria-rowindex": at + 2,
      "aria-selected": String(at === this.selected), "data-opened": isOpened ? "yes" : undefined });
    if (!game) {
      row.append(make("span", { class: "cell number", role: "gridcell" }, number(at + 1)));
      row.classList.add("waiting");
      return row;
    }
    const round = known(game.round) ? ` (${game.round})` : "";
    const archive = this.archives[game.archive]?.name ?? "";
    const texts = {
      number: number(game.number),
      archive,
      white: known(game.white),
      white_elo: eloText(game.white_elo),
      black: known(game.black),
      black_elo: eloText(game.black_elo),
      result: resultText(game.result),
      date: dateText(game.date),
      ply: plyText(game),
      eco: game.eco ?? "",
      plies: String(Math.ceil(game.plies / 2)),
      event: known(game.event) + round,
    };
    const cell = (name, title = texts[name]) => make("span", { class: `cell ${name}`, role: "gridcell", title }, texts[name]);
    if (!this.isNarrow) {
      row.append(...this.shown.map(([name]) => (name === "number" ? cell(name, `${archive}:${game.number}`) : cell(name))));
      return row;
    }
    // On a narrow screen: a line for each player, and a third for the rest.
    const isShown = (name) => !this.hiddenColumns.has(name) && texts[name];
    const rest = ["ply", "eco", "event"].filter(isShown).map((name) => texts[name]);
    rest.unshift(this.archives.length > 1 && isShown("archive") ? `${archive}:${game.number}` : texts.number);
    row.append(...["white", "white_elo", "black", "black_elo", "result", "date"].map((name) => cell(name)),
      make("span", { class: "cell rest", role: "gridcell" }, rest.join(" \u00b7 ")));
    return row;
  }

  fetch(first, last) {
    for (let page = Math.floor(first / PAGE); page * PAGE < last; page += 1) {
      if (!this.pages.has(page) && !this.wanted.has(page)) this.fetchPage(page);
    }
  }

  async fetchPage(page) {
    const [signal, wanted] = [this.signal, this.wanted];
    wanted.add(page);
    try {
      const answer = await ask("find", [...this.parameters, ["offset", page * PAGE], ["limit", PAGE]], signal);
      if (signal.aborted) return;
      // A map keeps the order of insertion: its first page is the oldest.
      if (this.pages.size >= KEPT_PAGES) this.pages.delete(this.pages.keys().next().value);
      this.pages.set(page, answer.rows);
      this.paint();
    } catch (error) {
      if (error.name !== "AbortError") this.onFailure(error);
    } finally {
      wanted.delete(page);
    }
  }

  select(at) {
    if (!this.total) return;
    this.selected = Math.min(this.total - 1, Math.max(0, at));
    const [top, bottom] = [this.selected * this.row, (this.selected + 1) * this.row];
    if (top < this.place) this.go(top);
    else if (bottom > this.place + this.height) this.go(bottom - this.height);
    else this.paint();
  }

  open(at) {
    this.select(at);
    const game = this.game(this.selected);
    if (game) this.onOpen(game, this.edition);
  }

  // Opens the game `by` rows after the selected one.
  async step(by) {
    const from = this.selected ?? -1;
    const at = Math.min(this.total - 1, Math.max(0, from + by));
    if (at < 0) return;
    this.select(at);
    if (!this.game(at)) await this.fetchPage(Math.floor(at / PAGE));
    this.open(at);
  }

  key(event) {
    const rows = Math.max(1, Math.floor(this.height / this.row) - 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: rows, PageUp: -rows, Home: -Infinity, End: Infinity };
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in steps) {
      const from = this.selected ?? Math.floor(this.place / this.row) - (steps[event.key] > 0 ? 1 : 0);
      this.select(from + steps[event.key]);
    } else if (event.key === "Enter" && this.selected !== null) this.open(this.selected);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
