// Puts the page together: the search, the game on the board, the panels, and the address that keeps
// what is shown.

import { Board } from "./board.js";
import { ask, byId, count, latest, make, onNewEdition } from "./common.js";
import { Curve, GameModel, MoveList, playerLine, showText, START } from "./game.js";
import { StatsPanel, TreePanel } from "./panels.js";
import { SearchForm } from "./search.js";
import { GameTable } from "./table.js";

const TABS = ["moves", "tree", "stats", "text"];

// `asked`: the parameters of the search whose games the table shows.
const state = { sort: "number", reverse: false, tab: "moves", player: "", asked: [] };
let model = new GameModel();
let node = model.root;
let about;
let table;

const board = new Board(byId("board"));
const moves = new MoveList(byId("moves"), (to) => go(to));
const curve = new Curve(byId("curve"), (to) => go(to));
const form = new SearchForm(() => searchForm());
const tree = new TreePanel(() => state.asked, (move) => go(model.play(node, move), true));
const stats = new StatsPanel((player) => showPlayer(player), (parameters) => {
  form.parameters = parameters;
  searchForm();
});

function trouble(error) {
  byId("trouble").textContent = error.message ?? String(error);
  byId("trouble").hidden = false;
}

const noTrouble = () => { byId("trouble").hidden = true; };

const nextSearch = latest();
const nextGame = latest();

// Searches with the parameters of the form.
function searchForm() {
  state.asked = form.parameters;
  return search();
}

// Searches again with the same parameters, and shows the first games.
async function search(...remarks) {
  const signal = nextSearch();
  const asked = [...state.asked, ["sort", state.sort]];
  noTrouble();
  if (state.reverse) asked.push(["reverse", "1"]);
  byId("status").textContent = "Searching\u2026";
  keep();
  try {
    const answer = await ask("find", [...asked, ["limit", "100"]], signal);
    byId("status").textContent = answer.total ? count(answer.total, "game", "games") : "No game matches.";
    byId("notes").replaceChildren(...[...remarks, ...answer.notes].map((note) => make("li", {}, note)));
    table.show(answer, asked, state.sort, state.reverse);
    if (tree.onlyFound.checked && state.tab === "tree") tree.again();
  } catch (error) {
    if (error.name === "AbortError") return;
    byId("status").textContent = "";
    byId("notes").replaceChildren();
    table.show({ total: 0, rows: [] }, asked, state.sort, state.reverse);
    trouble(error);
  }
}

function sort(key, reverse) {
  Object.assign(state, { sort: key, reverse });
  search();
}

// Opens a game at a move; `line` are the user's own moves after it. With `edition`, the number is
// that of a game found in this edition of the archives.
async function open(archive, gameNumber, { path = "", line = [], edition } = {}) {
  const signal = nextGame();
  noTrouble();
  try {
    const data = await ask("game", { archive, number: gameNumber, ...(edition && { edition }) }, signal);
    model = new GameModel(data);
    await begin(path, line);
  } catch (error) {
    if (error.name === "AbortError") return;
    if (!model.data.number) await begin("", []);
    trouble(error);
  }
}

// Shows the model from the start, or from a move.
async function begin(path, line) {
  node = model.nodes.get(path) ?? model.root;
  if (line.length && node.fen) {
    const parameters = { fen: node.fen, moves: line.join(" "), variant: model.tag("Variant") };
    const { moves: played } = await ask("line", parameters);
    for (const move of played) node = model.play(node, move);
  }
  moves.show(model);
  curve.show(model);
  showText(model);
  const { data } = model;
  table.opened = data.number ? [data.archive, data.number] : null;
  table.paint();
  document.title = data.number ? `${model.tag("White")} \u2013 ${model.tag("Black")}` : "pgc";
  byId("board").classList.toggle("unknown", !model.hasBoard);
  show();
}

// Goes to a position of the game; `grown`: the user has added a move, so the list of moves is shown
// again.
function go(to, grown = false) {
  if (!to) return;
  const glide = to.parent === node;
  node = to;
  if (grown) moves.show(model);
  show(glide);
}

function show(glide = false) {
  board.show(node.fen ?? "8/8/8/8/8/8/8/8 w", node.move?.uci, glide);
  moves.mark(node);
  curve.mark(node);
  playerLine(byId("upper"), model, board.flipped, node, showPlayer);
  playerLine(byId("lower"), model, !board.flipped, node, showPlayer);
  for (const button of document.querySelectorAll("[data-step]")) {
    const step = button.dataset.step;
    button.disabled = ((step === "start" || step === "back") && !node.parent) || ((step === "end" || step === "forward") && !node.next);
  }
  if (state.tab === "tree") tree.show(node.fen, model.tag("Variant"));
  keep();
}

const steps = {
  start: () => go(model.root),
  back: () => go(node.parent),
  forward: () => go(node.next),
  end: () => {
    let to = node;
    while (to.next) to = to.next;
    go(to);
  },
  flip: () => {
    board.flipped = !board.flipped;
    show();
  },
};

function showTab(name) {
  state.tab = TABS.includes(name) ? name : "moves";
  for (const each of TABS) {
    const isShown = each === state.tab;
    byId(each).hidden = !isShown;
    byId(`tab-${each}`).setAttribute("aria-selected", String(isShown));
    byId(`tab-${each}`).tabIndex = isShown ? 0 : -1;
  }
  if (state.tab === "tree") tree.show(node.fen, model.tag("Variant"));
  if (state.tab === "stats") stats.show(state.player);
  if (state.tab === "moves") moves.mark(node);
  keep();
}

function showPlayer(player) {
  state.player = player;
  showTab("stats");
}

// Writes the state of the page into its address, for a reload or a bookmark.
function keep() {
  const parameters = new URLSearchParams(state.asked);
  if (state.sort !== "number") parameters.set("sort", state.sort);
  if (state.reverse) parameters.set("reverse", "1");
  const [path, line] = model.address(node);
  if (model.data.number) parameters.set("game", `${model.data.archive}:${model.data.number}`);
  if (path) parameters.set("at", path);
  if (line.length) parameters.set("line", line.join(" "));
  if (state.tab !== "moves") parameters.set("tab", state.tab);
  if (state.player) parameters.set("who", state.player);
  if (board.flipped) parameters.set("flip", "1");
  write(`#${parameters}`);
}

// Browsers refuse an address that changes too often, as while a key is held down: at most one
// change in 200 ms.
let written = 0;
let waiting;
function write(hash) {
  clearTimeout(waiting);
  const now = () => {
    written = Date.now();
    if (hash !== location.hash) history.replaceState(null, "", hash);
  };
  const wait = written + 200 - Date.now();
  if (wait <= 0) now();
  else waiting = setTimeout(now, wait);
}

// Restores the state of the page from its address.
async function restore() {
  const given = new URLSearchParams(location.hash.slice(1));
  form.parameters = [...given].filter(([name]) => form.has(name));
  state.asked = form.parameters;
  state.sort = about.sorts.includes(given.get("sort")) ? given.get("sort") : "number";
  state.reverse = given.has("reverse");
  state.player = given.get("who") ?? "";
  state.tab = TABS.includes(given.get("tab")) ? given.get("tab") : "moves";
  board.flipped = given.has("flip");
  const line = (given.get("line") ?? "").split(" ").filter(Boolean);
  const [archive, gameNumber] = (given.get("game") ?? "").split(":");
  if (!gameNumber) model = new GameModel();
  const opened = gameNumber ? open(archive, gameNumber, { path: given.get("at") ?? "", line }) : begin("", line).catch(trouble);
  await Promise.all([opened, search()]);
  showTab(state.tab);
}

function keys(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (event.target.closest("input, select, textarea")) return;
  const isTab = event.target.closest("[role=tab]");
  const actions = {
    ArrowLeft: () => (isTab ? turnTab(-1) : steps.back()),
    ArrowRight: () => (isTab ? turnTab(1) : steps.forward()),
    Home: steps.start,
    End: steps.end,
    f: steps.flip,
    j: () => table.step(1),
    k: () => table.step(-1),
    "/": () => form.focus(),
    1: () => showTab("moves"),
    2: () => showTab("tree"),
    3: () => showTab("stats"),
    4: () => showTab("text"),
  };
  const action = actions[event.key];
  if (!action) return;
  event.preventDefault();
  action();
}

function turnTab(by) {
  const at = (TABS.indexOf(state.tab) + by + TABS.length) % TABS.length;
  showTab(TABS[at]);
  byId(`tab-${TABS[at]}`).focus();
}

// Values that outlast the page; a browser may refuse to store them.
const kept = {
  get(name) {
    try {
      return localStorage.getItem(name);
    } catch {
      return null;
    }
  },
  set(name, value) {
    try {
      localStorage.setItem(name, value);
    } catch {
      // The choice then lasts until the page is closed.
    }
  },
};

// Light or dark: as the system says, until the user says otherwise.
function theme() {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const button = byId("theme");
  const isDark = () => (document.documentElement.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";
  const label = () => { button.textContent = isDark() ? "Light" : "Dark"; };
  const known = kept.get("pgc-theme");
  if (known) document.documentElement.dataset.theme = known;
  button.addEventListener("click", () => {
    const chosen = isDark() ? "light" : "dark";
    document.documentElement.dataset.theme = chosen;
    kept.set("pgc-theme", chosen);
    label();
  });
  system.addEventListener("change", label);
  label();
}

function listen() {
  document.addEventListener("keydown", keys);
  for (const button of document.querySelectorAll("[data-step]")) {
    button.addEventListener("click", () => steps[button.dataset.step]());
  }
  for (const each of TABS) byId(`tab-${each}`).addEventListener("click", () => showTab(each));
  byId("help-button").addEventListener("click", (event) => {
    byId("help").hidden = !byId("help").hidden;
    event.currentTarget.setAttribute("aria-expanded", String(!byId("help").hidden));
  });
  addEventListener("hashchange", () => restore().catch(trouble));
  onNewEdition(() => renew().catch(trouble));
}

// An archive has changed: asks again for everything that is shown.
async function renew() {
  await describe();
  await search("An archive has changed: the games were searched again.");
  tree.again();
  stats.again();
  const { data } = model;
  if (!data.number) return;
  const now = await ask("game", { archive: data.archive, number: data.number });
  if (now.pgn === data.pgn) return;
  model = new GameModel();
  await begin("", []);
  trouble(new Error(`${data.address} is another game now: search for the one that was open.`));
}

async function describe() {
  about = await ask("about", {});
  const games = about.archives.reduce((sum, archive) => sum + archive.games, 0);
  const names = about.archives.map((archive) => archive.name);
  byId("about").textContent = `${names.length > 3 ? `${names.length} archives` : names.join(", ")} \u00b7 ${count(games, "game", "games")}`;
  if (table) table.archives = about.archives;
}

async function start() {
  theme();
  board.show(START);
  await describe();
  table = new GameTable({
    archives: about.archives,
    onOpen: (game, edition) => open(game.archive, game.number, { edition }),
    onSort: sort,
    onFailure: trouble,
  });
  listen();
  await restore();
  document.documentElement.dataset.ready = "yes";
}

start().catch(trouble);
