// The table of games. The document has only the visible rows, and the server is asked only for
// their pages.

import { ask, byId, latest, make, number } from "./common.js";

const PAGE = 100;
const KEPT_PAGES = 80;

// Browsers limit the height of an element; a longer table is scrolled in larger steps.
const HEIGHT = 8_000_000;

const HEADS = [
  ["number", "Game", "number"],
  ["white", "White", "white"],
  ["white_elo", "Elo", "white-elo"],
  ["black", "Black", "black"],
  ["black_elo", "Elo", "black-elo"],
  ["result", "Result", "result"],
  ["date", "Date", "date"],
  ["eco", "ECO", "eco"],
  ["plies", "Moves", "plies"],
  ["event", "Event", "event"],
];

export class GameTable {
  constructor({ onOpen, onSort, onFailure, archives }) {
    Object.assign(this, { onOpen, onSort, onFailure, archives });
    [this.scroller, this.spacer, this.rows] = ["scroller", "spacer", "rows"].map(byId);
    this.total = 0;
    this.pages = new Map();
    this.wanted = new Set();
    this.selected = null;
    this.opened = null;
    // The place in the table, in pixels, if every row were really there.
    this.place = 0;
    this.lastTop = 0;
    this.next = latest();
    this.scroller.addEventListener("scroll", () => this.scrolled(), { passive: true });
    this.scroller.addEventListener("keydown", (event) => this.key(event));
    this.rows.addEventListener("click", (event) => {
      const row = event.target.closest("[data-row]");
      if (row) this.open(Number(row.dataset.row));
    });
    new ResizeObserver(() => this.paint()).observe(this.scroller);
    this.heads();
  }

  heads(sort = "number", reverse = false) {
    const cells = HEADS.map(([name, title, key]) => {
      const isSorted = key === sort;
      const arrow = isSorted ? (reverse ? " \u2193" : " \u2191") : "";
      const click = () => this.onSort(key, isSorted ? !reverse : false);
      return make("button", { type: "button", class: `cell ${name}`, click, "aria-pressed": String(isSorted),
        title: `Sort by ${title}` }, title + arrow);
    });
    byId("heads").replaceChildren(...cells);
  }

  // Shows the answer to a search: `first` is its first page, `parameters` ask for the others.
  show(first, parameters, sort, reverse) {
    this.signal = this.next();
    this.parameters = parameters;
    this.total = first.total;
    this.edition = first.edition;
    this.pages = new Map([[0, first.rows]]);
    this.wanted = new Set();
    this.selected = null;
    this.heads(sort, reverse);
    const digits = number(Math.max(0, ...this.archives.map((archive) => archive.games))).length;
    this.scroller.parentElement.style.setProperty("--number", `${Math.max(3.4, digits * 0.55)}rem`);
    this.scroller.setAttribute("aria-rowcount", this.total);
    this.measure();
    this.spacer.style.height = `${Math.min(HEIGHT, this.total * this.row)}px`;
    this.place = this.lastTop = 0;
    this.scroller.scrollTop = 0;
    this.paint();
  }

  measure() {
    this.row = parseFloat(getComputedStyle(this.scroller).getPropertyValue("--row")) || 30;
  }

  // The greatest place, and how many pixels of the table one pixel of scrolling stands for.
  get range() {
    const places = Math.max(0, this.total * this.row - this.scroller.clientHeight);
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
    const height = this.scroller.clientHeight;
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
    const row = make("div", { class: "row", role: "row", id: `row-${at}`, "data-row": at, "aria-rowindex": at + 1,
      "aria-selected": String(at === this.selected), "data-opened": isOpened ? "yes" : undefined });
    if (!game) {
      row.append(make("span", { class: "cell number", role: "gridcell" }, number(at + 1)));
      row.classList.add("waiting");
      return row;
    }
    const cell = (name, text, title = text) => make("span", { class: `cell ${name}`, role: "gridcell", title }, text);
    const round = game.round && game.round !== "?" ? ` (${game.round})` : "";
    row.append(
      cell("number", number(game.number), `${this.archives[game.archive]?.name}:${game.number}`),
      cell("white", game.white),
      cell("white_elo", game.white_elo ?? ""),
      cell("black", game.black),
      cell("black_elo", game.black_elo ?? ""),
      cell("result", game.result.replace("1/2-1/2", "\u00bd-\u00bd")),
      cell("date", game.date),
      cell("eco", game.eco ?? ""),
      cell("plies", String(Math.ceil(game.plies / 2))),
      cell("event", game.event + round),
    );
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
    else if (bottom > this.place + this.scroller.clientHeight) this.go(bottom - this.scroller.clientHeight);
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
    const rows = Math.max(1, Math.floor(this.scroller.clientHeight / this.row) - 1);
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
