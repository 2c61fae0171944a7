// The opening tree, and what its panel has in common with those of reports.js.

import { ask, byId, count, dateText, eloText, kept, known, latest, make, noteLines, number, percent, resultText, scoreBar } from "./common.js";

export const dash = (value) => (value === null || value === undefined ? "" : String(value));

// The server's notes about an answer, of which the first line is shown.
export const noteList = (notes) => (notes.length ? [make("details", { class: "notes" }, ...noteLines(notes))] : []);

// A box that leaves out copies of games, as long as the user does not want them, and what an answer
// says of them.
export const copiesBox = (id, change) => make("input", { type: "checkbox", id, checked: kept.get("copies") !== "all", change: (event) => {
  kept.set("copies", event.target.checked ? "none" : "all");
  change();
} });
export const copiesChoice = (box) => make("p", { class: "choice" }, box, make("label", { for: box.id, title: "the same game, from another archive or another part of this one" }, "without copies"));
export const copiesNote = (answer, box) => (answer.copies
  ? [make("span", { class: "copies" }, box.checked
    ? `${count(answer.copies, "copy was", "copies were")} left out`
    : `${number(answer.copies)} of them ${answer.copies === 1 ? "is a copy" : "are copies"}`)]
  : []);

// A cell of a table.
export const cell = (content, kind) => make("td", kind ? { class: kind } : {}, content);

// A table; `titles`: the title and the class of each column.
export const factsTable = (titles, rows) => make("table", { class: "facts-table" },
  make("thead", {}, make("tr", {}, titles.map(([title, kind]) => make("th", { scope: "col", class: kind }, title)))),
  make("tbody", {}, rows));

// Shows that `element` waits for what `work` puts there, and in its place an error, after which
// `forget` lets the same be asked again. If another question came meanwhile, that one still waits.
export async function answered(element, forget, work) {
  element.classList.add("busy");
  if (!element.textContent) element.append(make("p", { class: "hint" }, "Counting the games\u2026"));
  try {
    await work();
  } catch (error) {
    if (error.name === "AbortError") return;
    forget();
    element.replaceChildren(make("p", { class: "failed" }, error.message));
  }
  element.classList.remove("busy");
}

// More games than this are put in order, or into a table, only when somebody asks for it.
export const MANY = 20_000;

// The moves played from the position on the board.
export class TreePanel {
  // `filter` returns the parameters of the search; `play` is called with a move that is clicked,
  // `onAnswer` with what the server says of the position on the board, `onOpen` with a game.
  constructor(filter, { play, onAnswer, onOpen }) {
    Object.assign(this, { filter, play, onAnswer, onOpen });
    this.element = byId("tree");
    [this.next, this.nextBest] = [latest(), latest()];
    this.order = make("select", { "aria-label": "Which games", change: () => this.showBest() },
      make("option", { value: "elo" }, "highest rated"), make("option", { value: "date" }, "newest"));
    this.best = make("div", { class: "best" });
    this.onlyFound = make("input", { type: "checkbox", id: "only-found", change: () => this.again() });
    this.unique = copiesBox("tree-unique", () => this.again());
    this.body = make("div", { class: "answer", "aria-live": "polite" });
    this.element.append(
      make("div", { class: "choosing" },
        make("p", { class: "choice" }, this.onlyFound, make("label", { for: "only-found" }, "only the games found")), copiesChoice(this.unique)),
      this.body, this.best);
  }

  // Asks again, since the archives or the search have changed.
  again() {
    this.key = null;
    if (this.fen !== undefined) this.show(this.fen, this.rules);
  }

  // The position on the board, and the rules of its game as the Variant tag names them. While the
  // user steps through a game, only the position where the steps end is asked for.
  async show(fen, rules) {
    const parameters = this.onlyFound.checked ? [...this.filter()] : [];
    // Only the first four fields of the FEN: the counters do not belong to the position.
    if (fen) parameters.push(["at", fen.split(" ").slice(0, 4).join(" ")], ["rules", rules]);
    if (this.unique.checked) parameters.push(["unique", ""]);
    const key = JSON.stringify([fen, parameters]);
    if (key === this.key) {
      if (this.answer) this.onAnswer(this.answer);
      this.showBest();
      return;
    }
    [this.fen, this.rules, this.key, this.games, this.answer] = [fen, rules, key, 0, null];
    const signal = this.next();
    await answered(this.body, () => { this.key = null; }, async () => {
      if (!fen) {
        this.body.replaceChildren(make("p", { class: "hint" }, "There is no position to look for."));
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, 60));
      signal.throwIfAborted();
      const answer = await ask("tree", parameters, signal);
      this.body.replaceChildren(...this.table(answer));
      [this.games, this.answer] = [answer.games, answer];
      this.onAnswer(answer);
      this.showBest();
    });
  }

  // The best games with the position, once somebody looks at the tree.
  async showBest() {
    if (this.element.hidden) return;
    const key = JSON.stringify([this.key, this.order.value]);
    if (key === this.bestKey) return;
    const signal = this.nextBest();
    this.bestKey = this.games ? key : null;
    if (!this.games) {
      this.best.replaceChildren();
      return;
    }
    // To put many games in order takes long: then only if somebody asks for it.
    if (this.games > MANY && this.asked !== this.key) {
      const ask = () => {
        [this.asked, this.bestKey] = [this.key, null];
        this.showBest();
      };
      this.best.replaceChildren(make("button", { type: "button", class: "quiet small", click: ask }, "Show the best games"));
      return;
    }
    const rules = this.rules ? [["variant", this.rules]] : [];
    const asked = [...(this.onlyFound.checked ? this.filter() : []), ["fen", this.fen.split(" ").slice(0, 4).join(" ")], ...rules];
    try {
      const answer = await ask("find", [...asked, ["sort", this.order.value], ["reverse", "1"], ["limit", "24"]], signal);
      // A copy stands beside the game of which it is one, since both have the same rating or date.
      const about = (row) => [row.white, row.black, row.date.slice(0, 4), row.result, row.plies].join();
      const best = this.unique.checked ? [...new Map(answer.rows.map((row) => [about(row), row])).values()] : answer.rows;
      const name = (text) => known(text) || "unknown";
      const rows = best.slice(0, 8).map((row) => make("tr", { click: () => this.onOpen(row, answer.edition) },
        cell(make("button", { type: "button", class: "link" }, name(row.white)), "person"), cell(eloText(row.white_elo), "right"),
        cell(name(row.black), "person"), cell(eloText(row.black_elo), "right"),
        cell(resultText(row.result), "right"), cell(dateText(row.date).slice(0, 4), "right")));
      this.best.replaceChildren(make("p", {}, make("h2", {}, "Best games"), this.order),
        make("table", { class: "facts-table" }, make("tbody", {}, rows)));
    } catch (error) {
      if (error.name !== "AbortError") this.best.replaceChildren(make("p", { class: "failed" }, error.message));
    }
  }

  table(tree) {
    const notes = noteList(tree.notes);
    if (!tree.games) return [...notes, make("p", { class: "hint" }, "No game has this position.")];
    const side = tree.side === "black" ? "Black" : "White";
    const summary = make("p", { class: "summary" }, `${count(tree.games, "game", "games")} in any move order, ${side} ${percent(tree.score).replace(" ", "\u00a0") || "without results"}`,
      ...copiesNote(tree, this.unique));
    const opening = tree.opening ? [make("p", { class: "opening" }, `${tree.opening.eco} ${tree.opening.name}`)] : [];
    const isBlack = this.fen.split(" ")[1] === "b";
    const full = this.fen.split(" ").at(-1);
    const rows = tree.moves.map((move) => {
      const name = `${full}${isBlack ? "\u2026" : "."}${move.san}`;
      const players = (move.players ?? []).map((player) => `${player.name} (${number(player.games)})`).join("; ");
      const years = [move.first_year, move.last_year].filter(Boolean);
      const span = years[0] === years[1] ? dash(years[0]) : years.join("\u2013");
      const label = move.fen
        ? make("button", { type: "button", class: "move", click: () => this.play(move), title: players }, name)
        : make("span", {}, name);
      return make("tr", {}, cell(label), cell(number(move.games), "right"), cell(percent(move.games / tree.games), "right share"),
        cell(scoreBar(move.white, move.draws, move.black), "bar"), cell(percent(move.score), "right wide"),
        cell(dash(move.elo), "right wide"), cell(span, "right wide"), cell(move.opening?.name ?? "", "wide"));
    });
    const titles = [["Move"], ["Games", "right"], ["Share", "right share"], ["Results", "bar"], [`${side} score`, "right wide"],
      ["Elo", "right wide"], ["Years", "right wide"], ["Opening", "wide"]];
    return [...notes, ...opening, summary, factsTable(titles, rows)];
  }
}
