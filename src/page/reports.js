// What a player scored, and standings: loaded when somebody looks at them.

import { ask, byId, count, draw, known, latest, make, number, percent, resultText, scoreBar } from "./common.js";
import { Suggestions } from "./search.js";
import { answered, cell, copiesBox, copiesChoice, copiesNote, dash, factsTable, MANY, noteList } from "./tree.js";

// A value of a tie-break, with at most two decimals.
const shortly = (value) => (value === null ? "" : String(Math.round(value * 100) / 100));

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
    await answered(this.body, () => { this.player = null; }, async () => {
      if (!player) {
        this.body.replaceChildren(make("p", { class: "hint" }, "Type a name, or choose a player beside the board."));
        return;
      }
      const unique = this.unique.checked ? [["unique", ""]] : [];
      const stats = await ask("stats", [["player", player], ["limit", "12"], ...unique], signal);
      const parts = stats.games ? this.parts(stats) : [make("p", { class: "hint" }, "No game matches.")];
      this.body.replaceChildren(...noteList(stats.notes), ...parts);
    });
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
  // `filter` returns the parameters of the search, `total` the number of its games, null while they are searched;
  // `onPlayer` is called with a player who is chosen.
  constructor(filter, total, onPlayer) {
    Object.assign(this, { filter, total, onPlayer });
    this.element = byId("standings");
    this.unique = copiesBox("standings-unique", () => this.show());
    this.next = latest();
  }

  // Asks the next time, since the archives have changed.
  again() {
    this.key = null;
  }

  async show() {
    if (this.total() === null) return;
    const parameters = [...this.filter(), ...(this.unique.checked ? [["unique", ""]] : [])];
    const key = JSON.stringify(parameters);
    if (key === this.key) return;
    const signal = this.next();
    if (this.total() > MANY && this.asked !== key) {
      const click = () => {
        this.asked = key;
        this.show();
      };
      this.key = null;
      this.element.replaceChildren(copiesChoice(this.unique), make("p", { class: "hint" }, "A table is made for the games of the search. "),
        make("button", { type: "button", class: "quiet small", click }, `Make it for ${count(this.total(), "game", "games")}`));
      return;
    }
    this.key = key;
    await answered(this.element, () => { this.key = null; }, async () => {
      const answer = await ask("table", parameters, signal);
      this.element.replaceChildren(copiesChoice(this.unique), ...copiesNote(answer, this.unique),
        ...noteList(answer.notes), ...this.parts(answer));
    });
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
    const many = isCrossed ? "right wide" : "right";
    const lines = players.map((row, at) => make("tr", {}, right(at + 1), cell(this.name(row.player), "name"), right(row.points),
      isCrossed ? row.against.toSpliced(at, 0, "\u00d7").map(crossed) : [],
      cell(String(row.games), many), [row.won, row.drawn, row.lost, ...row.tie_breaks.map(({ value }) => shortly(value))].map((value) => cell(String(value), "right wide")),
      [dash(row.performance), String(row.rated)].map((value) => cell(value, "right wide"))));
    const codes = players.length ? players[0].tie_breaks.map(({ code }) => code) : [];
    const ranks = isCrossed ? players.map((_, at) => String(at + 1)) : [];
    const wide = [["Games", many], ...["Won", "Drawn", "Lost", ...codes].map((title) => [title, "right wide"])];
    const numbers = [["Pts", "right"], ...ranks.map((rank) => [rank, "crossed"]), ...wide, ["Perf.", "right wide"], ["Rated", "right wide"]];
    const hint = (text) => make("p", { class: "hint" }, text);
    const games = (rounds ?? []).map((game) => make("tr", {}, cell(known(game.round)), cell(game.white, "name"), cell(resultText(game.result)), cell(game.black, "name")));
    return [
      players.length === 2 && isCrossed ? this.match(players) : players.length ? factsTable([["#", "right"], ["Player"], ...numbers], lines) : hint("No game with a result matches."),
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
