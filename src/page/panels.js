// The opening tree, what a player scored, and standings.

import { ask, byId, count, dateText, draw, eloText, known, latest, make, noteLines, number, percent, resultText, scoreBar } from "./common.js";
import { Suggestions } from "./search.js";

const dash = (value) => (value === null || value === undefined ? "" : String(value));

// A value of a tie-break, with at most two decimals.
const shortly = (value) => (value === null ? "" : String(Math.round(value * 100) / 100));

// The server's notes about an answer, of which the first line is shown.
const noteList = (notes) => (notes.length ? [make("details", { class: "notes" }, ...noteLines(notes))] : []);

// A box that leaves out copies of games, and what an answer says of them.
const copiesBox = (id, change) => make("input", { type: "checkbox", id, change });
const copiesChoice = (box) => make("p", { class: "choice" }, box, make("label", { for: box.id }, "without copies of games"));
const copiesNote = (answer, box) => (answer.copies
  ? [make("p", { class: "copies" }, box.checked
    ? `${count(answer.copies, "copy was", "copies were")} left out`
    : `${number(answer.copies)} of them ${answer.copies === 1 ? "is a copy" : "are copies"}`)]
  : []);

// A cell of a table.
const cell = (content, kind) => make("td", kind ? { class: kind } : {}, content);

// A table; `titles`: the title and the class of each column.
const factsTable = (titles, rows) => make("table", { class: "facts-table" },
  make("thead", {}, make("tr", {}, titles.map(([title, kind]) => make("th", { scope: "col", class: kind }, title)))),
  make("tbody", {}, rows));

// More games than this are put in order only when somebody asks for it.
const MANY = 20_000;

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
    this.body = make("div", { class: "answer", "aria-live": "polite" }, make("p", { class: "hint" }, "Counting the games\u2026"));
    this.element.append(
      make("div", { class: "choosing" },
        make("p", { class: "choice" }, this.onlyFound, make("label", { for: "only-found" }, "only the games of the search")), copiesChoice(this.unique)),
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
    this.body.classList.add("busy");
    try {
      if (fen) {
        await new Promise((resolve) => setTimeout(resolve, 60));
        if (signal.aborted) return;
        const answer = await ask("tree", parameters, signal);
        this.body.replaceChildren(...this.table(answer));
        [this.games, this.answer] = [answer.games, answer];
        this.onAnswer(answer);
        this.showBest();
      } else this.body.replaceChildren(make("p", { class: "hint" }, "There is no position to look for."));
    } catch (error) {
      if (error.name === "AbortError") return;
      this.key = null;
      this.body.replaceChildren(make("p", { class: "failed" }, error.message));
    }
    this.body.classList.remove("busy");
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
      const answer = await ask("find", [...asked, ["sort", this.order.value], ["reverse", "1"], ["limit", "8"]], signal);
      const name = (text) => known(text) || "unknown";
      const rows = answer.rows.map((row) => make("tr", { click: () => this.onOpen(row, answer.edition) },
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
    const summary = make("p", { class: "summary" }, `${count(tree.games, "game", "games")} in any move order, ${side} scored ${percent(tree.score) || "nothing known"}`);
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
    const titles = [["Move"], ["Games", "right"], ["Share", "right share"], ["White, drawn, Black", "bar"], [`${side} score`, "right wide"],
      ["Elo", "right wide"], ["Years", "right wide"], ["Opening", "wide"]];
    return [...notes, ...opening, summary, ...copiesNote(tree, this.unique), factsTable(titles, rows)];
  }
}

// What a player scored.
export class StatsPanel {
  // `onPlayer` is called when another player is chosen, `search` with parameters for a search.
  constructor(onPlayer, search) {
    Object.assign(this, { onPlayer, search });
    this.element = byId("stats");
    this.next = latest();
    this.input = make("input", { id: "stats-player", type: "text", placeholder: "name of a player", spellcheck: "false" });
    const form = make("form", { class: "field", submit: (event) => {
      event.preventDefault();
      onPlayer(this.input.value.trim());
    } }, make("label", { for: "stats-player" }, "Player"), this.input);
    new Suggestions(this.input, form, "player", onPlayer);
    this.unique = copiesBox("stats-unique", () => this.again());
    this.body = make("div", { class: "answer", "aria-live": "polite" });
    this.element.append(form, copiesChoice(this.unique), this.body);
  }

  // Asks again, since the archives have changed.
  again() {
    const { player } = this;
    this.player = null;
    if (player) this.show(player);
  }

  async show(player) {
    if (player === this.player) return;
    this.player = player;
    this.input.value = player ?? "";
    const signal = this.next();
    this.body.classList.add("busy");
    try {
      if (!player) {
        this.body.replaceChildren(make("p", { class: "hint" }, "Type a name, or choose a player beside the board."));
      } else {
        const unique = this.unique.checked ? [["unique", ""]] : [];
        const stats = await ask("stats", [["player", player], ["limit", "12"], ...unique], signal);
        const parts = stats.games ? this.parts(stats) : [make("p", { class: "hint" }, "No game matches.")];
        this.body.replaceChildren(...noteList(stats.notes), ...parts);
      }
    } catch (error) {
      if (error.name === "AbortError") return;
      this.player = null;
      this.body.replaceChildren(make("p", { class: "failed" }, error.message));
    }
    this.body.classList.remove("busy");
  }

  parts(stats) {
    const title = make("header", { class: "title" },
      make("h2", {}, stats.player),
      make("p", {}, [count(stats.games, "game", "games"), stats.score === null ? "" : `scored ${percent(stats.score)}`,
        stats.performance ? `performance ${stats.performance}` : ""].filter(Boolean).join(" \u00b7 ")));
    const names = stats.names.length > 1
      ? [make("p", { class: "names" }, "Names taken together: ", stats.names.slice(0, 6).map((each) => each.name).join("; "))]
      : [];
    const others = stats.other_names.slice(0, 6).flatMap((each, at) => [at ? "; " : "",
      make("button", { type: "button", class: "link", click: () => this.onPlayer(each.name) }, each.name), ` (${number(each.games)})`]);
    if (others.length) {
      const more = stats.other_names_total - Math.min(6, stats.other_names.length);
      names.push(make("p", { class: "names" }, "Other names, not counted here: ", ...others, more > 0 ? ` and ${number(more)} more` : ""));
    }
    const white = (row) => () => this.search([["white", stats.player], ["eco", row.eco]]);
    const black = (row) => () => this.search([["black", stats.player], ["eco", row.eco]]);
    const openings = (colour) => stats.openings.filter((row) => row.colour === colour);
    return [
      title, ...names, ...copiesNote(stats, this.unique),
      tallies([["White", stats.as_white], ["Black", stats.as_black]], ""),
      ratingPlot(stats.ratings),
      yearPlot(stats.years),
      tallies(stats.opponent_ratings.toReversed().map((row) => [row.from ? `${row.from} to ${Math.floor(row.from / 100) * 100 + 99}` : "unknown", row]), "Opponents rated"),
      tallies(openings("white").map((row) => [openingName(row), row, row.eco && white(row)]), "Openings with White"),
      tallies(openings("black").map((row) => [openingName(row), row, row.eco && black(row)]), "Openings with Black"),
      tallies(stats.opponents.map((row) => [row.name, row, () => this.search([["player", stats.player], ["vs", row.name]])]), "Opponents"),
    ].filter(Boolean);
  }
}

// The results against one player; of more than two games, the points out of the games.
function crossed(results) {
  if (results.length <= 2) return cell(results, "crossed");
  const points = [...results].reduce((sum, result) => sum + ({ 1: 1, "\u00bd": 0.5 }[result] ?? 0), 0);
  return make("td", { class: "crossed", title: results }, `${Math.floor(points)}${points % 1 ? "\u00bd" : ""}`, make("wbr"), `/${results.length}`);
}

// The standings of the games of the search, with a crosstable and a list of rounds if they are few.
export class StandingsPanel {
  // `filter` returns the parameters of the search; `onPlayer` is called with a player who is chosen.
  constructor(filter, onPlayer) {
    Object.assign(this, { filter, onPlayer });
    this.element = byId("standings");
    this.unique = copiesBox("standings-unique", () => this.show());
    this.next = latest();
  }

  // Asks the next time, since the archives have changed.
  again() {
    this.key = null;
  }

  async show() {
    const parameters = [...this.filter(), ...(this.unique.checked ? [["unique", ""]] : [])];
    const key = JSON.stringify(parameters);
    if (key === this.key) return;
    this.key = key;
    const signal = this.next();
    this.element.classList.add("busy");
    try {
      const answer = await ask("table", parameters, signal);
      this.element.replaceChildren(copiesChoice(this.unique), ...copiesNote(answer, this.unique),
        ...noteList(answer.notes), ...this.parts(answer));
    } catch (error) {
      if (error.name === "AbortError") return;
      this.key = null;
      this.element.replaceChildren(make("p", { class: "failed" }, error.message));
    }
    this.element.classList.remove("busy");
  }

  // A match: a line for each player, whose results are as small as the line needs.
  match(players) {
    const right = (value) => cell(String(value), "right");
    const lines = players.map((row) => {
      const results = make("span", {}, resultText(row.against[0] ?? ""));
      results.style.setProperty("--games", row.games);
      return make("tr", {}, cell(this.name(row.player), "name"), cell(results, "match"), right(row.points), right(dash(row.performance)));
    });
    return factsTable([["Player"], [count(players[0].games, "game", "games"), "match"], ["Points", "right"], ["Perf.", "right"]], lines);
  }

  name(player) {
    return make("button", { type: "button", class: "link", click: () => this.onPlayer(player) }, player);
  }

  parts({ players, match, rounds }) {
    const isCrossed = players.some((row) => row.against.length);
    const right = (value) => cell(String(value), "right");
    const lines = players.map((row, at) => make("tr", {}, right(at + 1), cell(this.name(row.player), "name"), right(row.points),
      isCrossed ? row.against.toSpliced(at, 0, "\u00d7").map(crossed) : [],
      [row.games, row.won, row.drawn, row.lost, ...row.tie_breaks.map(({ value }) => shortly(value))].map((value) => cell(String(value), "right wide")),
      [dash(row.performance), String(row.rated)].map((value) => cell(value, "right wide"))));
    const codes = players.length ? players[0].tie_breaks.map(({ code }) => code) : [];
    const ranks = isCrossed ? players.map((_, at) => String(at + 1)) : [];
    const wide = ["Games", "Won", "Drawn", "Lost", ...codes].map((title) => [title, "right wide"]);
    const numbers = [["Pts", "right"], ...ranks.map((rank) => [rank, "crossed"]), ...wide, ["Perf.", "right wide"], ["Rated", "right wide"]];
    const hint = (text) => make("p", { class: "hint" }, text);
    const games = (rounds ?? []).map((game) => make("tr", {}, cell(known(game.round)), cell(game.white, "name"), cell(resultText(game.result)), cell(game.black, "name")));
    return [
      players.length === 2 && isCrossed ? this.match(players) : players.length ? factsTable([["", "right"], ["Player"], ...numbers], lines) : hint("No game with a result matches."),
      match && match.elo !== null && hint(`Elo difference ${match.elo < 0 ? "" : "+"}${Math.round(match.elo)}${match.los === null ? "" : `, LOS ${percent(match.los)}`}`),
      games.length && factsTable([["Round"], ["White"], ["Result"], ["Black"]], games),
    ].filter(Boolean);
  }
}

// An opening by its code, with the name of the one that most of the games reached.
const openingName = (row) => (row.name ? `${row.eco} ${row.name}` : row.eco ?? "none");

function tallies(rows, title) {
  if (!rows.length) return null;
  const lines = rows.map(([name, tally, click]) => make("tr", {},
    cell(click ? make("button", { type: "button", class: "link", click, title: "Search these games" }, name) : name, "name"),
    cell(number(tally.games), "right"),
    cell(scoreBar(tally.wins, tally.draws, tally.losses), "bar"),
    cell(percent(tally.score), "right"),
    cell(dash(tally.performance), "right wide")));
  const titles = [[title || "Colour"], ["Games", "right"], ["Won, drawn, lost", "bar"], ["Score", "right"], ["Perf.", "right wide"]];
  return factsTable(titles, lines);
}

const PLOT = { width: 420, height: 130, left: 34, right: 6, top: 8, bottom: 20 };

function axes(plot, years, values) {
  const { width, height, left, right, top, bottom } = PLOT;
  const x = (year) => left + ((width - left - right) * (year - years[0])) / Math.max(1e-9, years[1] - years[0]);
  const y = (value) => height - bottom - ((height - top - bottom) * (value - values[0])) / Math.max(1e-9, values[1] - values[0]);
  const step = Math.max(1, Math.ceil((years[1] - years[0]) / 7));
  for (let year = Math.ceil(years[0]); year <= years[1]; year += step) {
    plot.append(draw("text", { x: x(year), y: height - 5, "text-anchor": "middle" }, String(year)));
  }
  return { x, y };
}

function grid(plot, y, values) {
  for (const value of values) {
    plot.append(draw("line", { class: "grid", x1: PLOT.left, x2: PLOT.width - PLOT.right, y1: y(value), y2: y(value) }),
      draw("text", { x: PLOT.left - 5, y: y(value) + 3.5, "text-anchor": "end" }, number(value).replace(",", "")));
  }
}

const figure = (title, plot) => make("figure", {}, make("figcaption", {}, title), plot);

const canvas = (label) => draw("svg", { class: "plot", viewBox: `0 0 ${PLOT.width} ${PLOT.height}`, role: "img", "aria-label": label });

// The average rating of each month.
function ratingPlot(ratings) {
  const points = ratings.map(({ month, elo }) => [Number(month.slice(0, 4)) + (Number(month.slice(5)) - 1) / 12, elo]);
  if (points.length < 2) return null;
  const elos = points.map((point) => point[1]);
  const [least, most] = [Math.floor(Math.min(...elos) / 50) * 50, Math.ceil((Math.max(...elos) + 1) / 50) * 50];
  const plot = canvas(`Rating from ${ratings[0].month} (${elos[0]}) to ${ratings[ratings.length - 1].month} (${elos[elos.length - 1]})`);
  const { x, y } = axes(plot, [points[0][0], Math.max(points[points.length - 1][0], points[0][0] + 1)], [least, most]);
  const step = most - least > 500 ? 200 : most - least > 200 ? 100 : 50;
  grid(plot, y, Array.from({ length: Math.floor((most - least) / step) + 1 }, (_, at) => least + at * step));
  plot.append(draw("path", { class: "curve-line", d: `M${points.map(([year, elo]) => `${x(year).toFixed(1)} ${y(elo).toFixed(1)}`).join("L")}` }));
  return figure("Rating", plot);
}

// Games won, drawn and lost in each year.
function yearPlot(years) {
  const known = years.filter((row) => row.year);
  if (known.length < 2) return null;
  const most = Math.max(...known.map((row) => row.games));
  const [first, last] = [known[0].year, known[known.length - 1].year];
  const plot = canvas(`Games of each year, from ${first} to ${last}, at most ${most}`);
  const { x, y } = axes(plot, [first - 0.5, last + 0.5], [0, most]);
  grid(plot, y, [0, most]);
  const width = Math.max(1, Math.min(24, (x(first + 1) - x(first)) * 0.76));
  for (const row of known) {
    let base = 0;
    for (const [kind, games] of [["lost", row.losses], ["drawn", row.draws], ["won", row.wins]]) {
      const top = base + games;
      plot.append(draw("rect", { class: kind, x: x(row.year) - width / 2, width, y: y(top), height: Math.max(0, y(base) - y(top)) },
        draw("title", {}, `${row.year}: ${row.wins} won, ${row.draws} drawn, ${row.losses} lost`)));
      base = top;
    }
  }
  return figure("Games of each year: won, drawn, lost", plot);
}
