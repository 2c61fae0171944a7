// Puts the page together: the search, the game on the board, the panels, and the address that keeps
// what is shown.

import { Board } from "./board.js";
import { Chart } from "./chart.js";
import { ask, byId, count, kept, later, latest, make, noteLines, number, onNewEdition, send } from "./common.js";
import { evalText, shapes } from "./facts.js";
import { GameModel, MoveList, numbered, showText } from "./game.js";
import { layOut } from "./layout.js";
import { Notebook } from "./notebook.js";
import { pgnOf, START } from "./pgn.js";
import { playerLine } from "./players.js";
import { saveLinks, SearchForm } from "./search.js";
import { GameTable } from "./table.js";
import { theme } from "./theme.js";
import { TreePanel } from "./tree.js";

const TABS = ["moves", "tree", "stats", "standings", "text", "notebook", "tools"];

// `asked`: the parameters of the search whose games the table shows; `total`: their number, null
// while they are searched.
const state = { sort: "number", reverse: false, tab: "tree", player: "", asked: [], legal: [] };
let model = new GameModel();
let node = model.root;
let about;
let table;

const board = new Board(byId("board"), {
  onMove: (move) => play(move),
  onSquare: (square, isRemoved) => editor.click(square, isRemoved),
  onShape: (shape) => drawShape(shape),
});
const moves = new MoveList(byId("moves"), (to) => go(to), (by) => table.step(by));
const chart = new Chart(byId("curve"), (to) => go(to));
const form = new SearchForm(() => searchForm());
const tree = new TreePanel(() => state.asked, { play: (move) => play(move), onAnswer: (answer) => showPosition(answer),
  onOpen: (game, edition) => openFound(game, edition) });
// What not everybody looks at, and what reads and shows it when somebody does.
let engine;
let editor;
const reports = later(async () => {
  const { StandingsPanel, StatsPanel } = await import("./reports.js");
  const stats = new StatsPanel((player) => showPlayer(player), (parameters) => {
    form.parameters = parameters;
    searchForm();
  });
  return { stats, standings: new StandingsPanel(() => state.asked, () => state.total, (player) => showPlayer(player)) };
});
const tools = later(async () => {
  const { buildTools } = await import("./tools.js");
  buildTools(byId("tools"), {
    fen: () => node.fen ?? "",
    pgn: () => pgnOf(model),
    archive: notebook.archive?.name,
    add: async () => {
      await notebook.save(model);
      return notebook.add(model.note);
    },
    edit: () => setUpPosition().catch(trouble),
    onPosition: setUp,
    onGame: (data) => paste(data).catch(trouble),
  });
});
const notebook = new Notebook((entry) => openNote(entry.id, { isNew: true }).catch(trouble), trouble);

function trouble(error) {
  byId("trouble").textContent = error.message ?? String(error);
  byId("trouble").hidden = false;
}

const noTrouble = () => { byId("trouble").hidden = true; };

const nextSearch = latest();
const nextGame = latest();
const nextPosition = latest();

// Searches with the parameters of the form.
function searchForm() {
  state.asked = form.parameters;
  keep(true);
  return search();
}

// Searches again with the same parameters, and shows the first games.
async function search(...remarks) {
  const signal = nextSearch();
  const asked = [...state.asked, ["sort", state.sort]];
  noTrouble();
  if (state.reverse) asked.push(["reverse", "1"]);
  byId("status").textContent = "Searching\u2026";
  state.total = null;
  const opened = table.opened ? [["open", table.opened.join(":")]] : [];
  const task = Math.random().toString(36).slice(2);
  const slow = setInterval(() => tellProgress(task, signal), 200);
  keep();
  try {
    const answer = await ask("find", [...asked, ...opened, ["limit", "100"], ["task", task]], signal);
    state.total = answer.total;
    byId("status").textContent = answer.total ? count(answer.total, "game", "games") : "No game matches.";
    showNotes([...remarks, ...answer.notes]);
    table.show(answer, asked, state.sort, state.reverse);
    saveLinks(byId("save-list"), asked, answer.total);
    if (tree.onlyFound.checked) tree.again();
    if (state.tab === "standings") showReport();
  } catch (error) {
    if (error.name === "AbortError") return;
    byId("status").textContent = "";
    state.total = 0;
    showNotes([]);
    table.show({ total: 0, rows: [] }, asked, state.sort, state.reverse);
    trouble(error);
  } finally {
    clearInterval(slow);
    if (!signal.aborted) byId("stop").hidden = true;
  }
}

function showNotes(notes) {
  byId("notes").hidden = !notes.length;
  byId("notes").replaceChildren(...(notes.length ? noteLines(notes) : []));
}

// Says how far a search is that takes some time, and offers to stop it.
async function tellProgress(task, signal) {
  if (signal.aborted) return;
  byId("stop").hidden = false;
  const { games } = await ask("progress", { task }, signal).catch(() => ({ games: 0 }));
  const all = about.archives.reduce((sum, archive) => sum + archive.games, 0);
  if (games && !byId("stop").hidden) byId("status").textContent = `Searching\u2026 ${number(games)} of ${count(all, "game", "games")}`;
}

// Gives up a search that takes too long; the server notices that nobody waits any more.
function stopSearch() {
  nextSearch();
  byId("stop").hidden = true;
  byId("status").textContent = "Stopped.";
}

function sort(key, reverse) {
  Object.assign(state, { sort: key, reverse });
  search();
}

// Opens a game at a move; `line` are the user's own moves after it. With `edition`, the number is
// that of a game found in this edition of the archives.
async function open(archive, gameNumber, { path = "", line = [], edition, isNew = false } = {}) {
  const signal = nextGame();
  noTrouble();
  try {
    const data = await ask("game", { archive, number: gameNumber, ...(edition && { edition }) }, signal);
    model = new GameModel(data);
    await begin(path, line, isNew);
    if (isNew) {
      openDrawer(false);
      if (["tree", "notebook", "tools"].includes(state.tab)) showTab(state.tab === "tree" ? "tree" : "moves");
    }
  } catch (error) {
    if (error.name === "AbortError") return;
    if (!model.data.number) await begin("", []);
    trouble(error);
  }
}

// A game that was found opens where it matches.
const openFound = (game, edition) => open(game.archive, game.number, { edition, path: game.ply ? String(game.ply) : "", isNew: true });

// A position without a game.
const positionModel = (position, rules) => new GameModel({ moves: [], fen: position.fen, ply: position.ply, tags: rules ? { Variant: rules } : {} });

async function setUpPosition() {
  const { Editor } = await import("./edit.js");
  editor ??= new Editor(board, {
    use: setUp,
    search: (pairs) => {
      form.parameters = [...form.parameters.filter(([name]) => !["fen", "pattern", "variant"].includes(name)), ...pairs.filter((pair) => pair[1])];
      searchForm();
    },
    done: () => show(),
  });
  editor.open(node.fen ?? START, model.tag("Variant"));
}

// Shows a position that the user has set up or pasted.
function setUp(position, rules = "") {
  model = positionModel(position, rules);
  noTrouble();
  begin("", [], true).catch(trouble);
}

// Shows games that were pasted, the first of them on the board; all are in the notebook.
async function paste(data) {
  await notebook.paste(data.pgns);
  model = new GameModel(data);
  noTrouble();
  await begin("", [], true);
  await notebook.save(model, true);
  keep();
  showTab(data.pgns.length > 1 ? "notebook" : "moves");
}

// Opens an entry of the notebook.
async function openNote(id, { path = "", line = [], isNew = false } = {}) {
  const note = await notebook.get(id);
  if (!note) throw new Error("The notebook of this browser does not have this entry.");
  noTrouble();
  const { base } = note;
  const data = base.pgn ? await send("paste", {}, base.pgn) : null;
  const position = data ?? await ask("position", { fen: base.fen, variant: base.rules });
  model = data ? new GameModel(data) : positionModel(position, base.rules);
  model.note = note;
  if (isNew) state.tab = "moves";
  await begin(path, line, isNew);
  showTab(state.tab);
}

// Shows the model from the start, or from a move. `isNew`: the user can go back to what was shown.
async function begin(path, line, isNew = false) {
  const opened = model;
  await notebook.attach(opened);
  if (opened !== model) return;
  node = model.nodes.get(path) ?? model.root;
  if (isNew) keep(true);
  if (line.length && node.fen) {
    const parameters = { fen: node.fen, moves: line.join(" "), variant: model.tag("Variant") };
    const { moves: played } = await ask("line", parameters);
    for (const move of played) node = model.play(node, move);
  }
  moves.show(model);
  chart.show(model);
  showText(model, byId("text"));
  const { data } = model;
  table.opened = data.number ? [data.archive, data.number] : null;
  table.paint();
  document.title = data.number ? model.players : "pgc";
  byId("board").classList.toggle("unknown", !model.hasBoard);
  show();
}

// Plays a move from the position on the board: a move of the game, or one of the user's own line.
function play(move) {
  const [before, isKnown] = [node, node.children.length];
  const to = model.play(node, move);
  go(to, true);
  if (before.children.length !== isKnown) notebook.save(model);
  if (node !== before) announce();
}

// Draws a mark or an arrow, or takes the same one away.
function drawShape(shape) {
  if (!node.fen) return;
  const others = node.shapes.filter((each) => each.slice(1) !== shape.slice(1));
  node.shapes = node.shapes.includes(shape) ? others : [...others, shape];
  changed();
}

// The user has changed what is kept of the game.
function changed() {
  notebook.save(model);
  moves.show(model);
  showText(model, byId("text"));
  show();
}

// Takes the user's own line away from this move on.
function removeLine() {
  const { parent } = node;
  model.remove(node);
  node = parent;
  changed();
}

// Goes to a position of the game; `grown`: the user has added a move, so the list of moves is shown
// again.
function go(to, grown = false) {
  if (!to) return;
  const glide = to.parent === node;
  node = to;
  if (grown) {
    moves.show(model);
    showText(model, byId("text"));
  }
  show(glide);
}

function announce() {
  if (!node.move) {
    byId("announce").textContent = "Start of the game";
    return;
  }
  const side = node.num % 2 ? "Black" : "White";
  const value = evalText(node.move);
  byId("announce").textContent = `${numbered(node)} ${node.move.san}, ${side}${value ? `, evaluation ${value}` : ""}`;
}

function show(glide = false) {
  if (editor?.isOpen) editor.close();
  board.show(node.fen ?? "8/8/8/8/8/8/8/8 w", node.move?.uci, glide, [...shapes(node.move ?? model.data), ...node.shapes]);
  moves.mark(node);
  chart.mark(node);
  const hooks = { showStats: showPlayer, onPocket: (letter) => board.choose(`${letter.toUpperCase()}@`) };
  playerLine(byId("upper"), model, board.flipped, node, hooks);
  playerLine(byId("lower"), model, !board.flipped, node, hooks);
  for (const button of document.querySelectorAll("[data-step]")) {
    const step = button.dataset.step;
    button.disabled = ((step === "start" || step === "back") && !node.parent) || ((step === "end" || step === "forward") && !node.next);
  }
  byId("back-to-game").hidden = !node.isMine || !model.data.pgn;
  byId("remove").hidden = !node.isMine;
  byId("remark").value = node.remark;
  byId("remark").placeholder = node.move ? `Comment on ${numbered(node)} ${node.move.san}` : "Comment on the start";
  askPosition();
  engine?.show(node.fen, model.tag("Variant"));
  keep();
}

// Asks for the moves that can be played here, and for what was played here in all games.
async function askPosition() {
  const signal = nextPosition();
  const { fen } = node;
  state.legal = [];
  byId("legal").replaceChildren();
  byId("position").textContent = "";
  if (!fen) return;
  tree.show(fen, model.tag("Variant"));
  try {
    const position = await ask("position", { fen, variant: model.tag("Variant") }, signal);
    if (signal.aborted) return;
    state.legal = position.legal;
    board.allow(position.legal, position.check);
    byId("legal").append(...position.legal.map((move) => make("option", { value: move.san })));
    document.documentElement.dataset.board = fen;
    if (byId("follow").checked) follow(fen);
  } catch (error) {
    if (error.name !== "AbortError") trouble(error);
  }
}

// The search follows the board.
let following;
function follow(fen) {
  clearTimeout(following);
  following = setTimeout(() => {
    const variant = model.tag("Variant");
    const position = [["fen", fen.split(" ").slice(0, 4).join(" ")]];
    form.parameters = [...form.parameters.filter(([name]) => name !== "fen"), ...position];
    const known = JSON.stringify(state.asked);
    if (JSON.stringify(form.parameters) === known) return;
    state.asked = form.parameters;
    if (variant && !/^(standard|chess)$/i.test(variant)) state.asked.push(["variant", variant]);
    search();
  }, 200);
}

// The number of games with the position on the board, and the name of its opening.
function showPosition(answer) {
  const games = answer.games ? count(answer.games, "game", "games") : "no game";
  byId("position").textContent = `${answer.opening ? `${answer.opening.eco} ${answer.opening.name} \u00b7 ` : ""}${games} with this position`;
}

// Plays the move that the user typed, in SAN or UCI notation.
function playTyped() {
  const bare = (text) => text.replace(/[+#!?]+$/, "").replace(/^0-0-0/, "O-O-O").replace(/^0-0/, "O-O");
  const typed = bare(byId("typed").value.trim());
  if (!typed) return;
  const same = (test) => state.legal.filter(test);
  const found = [same((move) => bare(move.san) === typed || move.uci === typed),
    same((move) => bare(move.san).toLowerCase() === typed.toLowerCase())].find((list) => list.length === 1);
  byId("typed").setCustomValidity(found ? "" : `${typed} is no legal move here`);
  byId("typed").reportValidity();
  if (!found) return;
  byId("typed").value = "";
  play(found[0]);
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

function step(name) {
  steps[name]();
  announce();
}

function backToGame() {
  let to = node;
  while (to.isMine) to = to.parent;
  go(to);
  announce();
}

// Where there is room the moves and the tree stand beside each other; otherwise the moves above it.
const isBeside = (name) => (name === "moves" && state.tab === "tree")
  || (name === "tree" && state.tab === "moves" && document.querySelector(".study").clientWidth >= 600);

function showTab(name) {
  state.tab = TABS.includes(name) ? name : "moves";
  for (const each of TABS) {
    const isShown = each === state.tab;
    byId(each).hidden = !isShown && !isBeside(each);
    byId(`tab-${each}`).setAttribute("aria-selected", String(isShown));
    byId(`tab-${each}`).tabIndex = isShown ? 0 : -1;
  }
  byId("remarks").hidden = byId("moves").hidden;
  if (!byId("tree").hidden) tree.show(node.fen, model.tag("Variant"));
  showReport();
  if (state.tab === "tools") tools().catch(trouble);
  if (state.tab === "moves") moves.mark(node);
  if (state.tab === "notebook") notebook.show();
  keep();
}

// The player's results or the standings, if that is the panel that is shown.
function showReport() {
  if (!["stats", "standings"].includes(state.tab)) return;
  reports().then(({ stats, standings }) => (state.tab === "stats" ? stats.show(state.player) : standings.show())).catch(trouble);
}

function showPlayer(player) {
  [state.player, state.tab] = [player, "stats"];
  keep(true);
  showTab("stats");
}

// The search of a phone, which covers the page while it is open.
function openDrawer(isOpen) {
  document.body.classList.toggle("drawer", isOpen);
  byId("drawer-button").setAttribute("aria-expanded", String(isOpen));
  byId("drawer-button").textContent = isOpen ? "Board" : "Search";
  if (isOpen) table.paint();
}

// The state of the page as an address, for a reload, a bookmark, or the way back.
function address() {
  const parameters = new URLSearchParams(state.asked);
  if (state.sort !== "number") parameters.set("sort", state.sort);
  if (state.reverse) parameters.set("reverse", "1");
  const [path, line] = model.address(node);
  if (model.data.number) parameters.set("game", `${model.data.archive}:${model.data.number}`);
  else if (model.data.pgn && model.note) parameters.set("note", model.note.id);
  else if (model.root.fen !== START) parameters.set("board", model.root.fen);
  if (!model.data.pgn && model.tag("Variant")) parameters.set("rules", model.tag("Variant"));
  if (path) parameters.set("at", path);
  if (line.length) parameters.set("line", line.join(" "));
  if (state.tab !== usualTab(model.data.pgn)) parameters.set("tab", state.tab);
  if (state.player) parameters.set("who", state.player);
  if (board.flipped) parameters.set("flip", "1");
  return `#${parameters}`;
}

const usualTab = (isGame) => (isGame ? "moves" : "tree");

// Browsers refuse an address that changes too often, as while a key is held down: at most one
// change in 200 ms. With `isNew` the browser's Back returns to what was shown before.
let written = 0;
let waiting;
function keep(isNew = false) {
  clearTimeout(waiting);
  if (state.isRestoring) return;
  const now = () => {
    written = Date.now();
    const hash = address();
    if (hash === location.hash) return;
    if (isNew) history.pushState(null, "", hash);
    else history.replaceState(null, "", hash);
  };
  const wait = isNew ? 0 : written + 200 - Date.now();
  if (wait <= 0) now();
  else waiting = setTimeout(now, wait);
}

// Restores the state of the page from its address.
async function restore() {
  clearTimeout(waiting);
  state.isRestoring = true;
  const given = new URLSearchParams(location.hash.slice(1));
  form.parameters = [...given].filter(([name]) => form.has(name));
  state.asked = form.parameters;
  state.sort = about.sorts.includes(given.get("sort")) ? given.get("sort") : "number";
  state.reverse = given.has("reverse");
  state.player = given.get("who") ?? "";
  board.flipped = given.has("flip");
  const line = (given.get("line") ?? "").split(" ").filter(Boolean);
  const [archive, gameNumber] = (given.get("game") ?? "").split(":");
  state.tab = TABS.includes(given.get("tab")) ? given.get("tab") : usualTab(gameNumber || given.has("note"));
  const opened = async () => {
    const path = given.get("at") ?? "";
    if (gameNumber) return open(archive, gameNumber, { path, line });
    if (given.has("note")) return openNote(given.get("note"), { path, line });
    const rules = given.get("rules") ?? "";
    model = new GameModel();
    if (given.has("board") || rules) {
      const position = await ask("position", { ...(given.has("board") && { fen: given.get("board") }), variant: rules });
      model = positionModel(position, rules);
    }
    return begin("", line);
  };
  table.opened = gameNumber ? [Number(archive), Number(gameNumber)] : null;
  const shown = Promise.all([opened().catch(trouble), search()]);
  showTab(state.tab);
  await shown;
  state.isRestoring = false;
  keep();
}

function keys(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (event.target.closest("input, select, textarea, dialog, #promotion")) return;
  const isTab = event.target.closest("[role=tab]");
  const actions = {
    ArrowLeft: () => (isTab ? turnTab(-1) : step("back")),
    ArrowRight: () => (isTab ? turnTab(1) : step("forward")),
    Home: () => step("start"),
    End: () => step("end"),
    f: () => step("flip"),
    b: backToGame,
    m: () => byId("typed").focus(),
    c: () => byId("remark").focus(),
    j: () => table.step(1),
    k: () => table.step(-1),
    "/": () => {
      openDrawer(true);
      form.focus();
    },
  };
  TABS.forEach((name, at) => { actions[at + 1] = () => showTab(name); });
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

// The wheel over the board, and a swipe across it, step through the game.
function listenToBoard() {
  const element = byId("board");
  let turned = 0;
  element.addEventListener("wheel", (event) => {
    if (event.ctrlKey) return;
    event.preventDefault();
    turned += event.deltaY;
    if (Math.abs(turned) < 40) return;
    step(turned > 0 ? "forward" : "back");
    turned = 0;
  }, { passive: false });
  let touched = null;
  element.addEventListener("pointerdown", (event) => {
    touched = event.pointerType === "touch" && !board.chosen && !board.edited ? event.clientX : null;
  });
  element.addEventListener("pointerup", (event) => {
    if (touched === null || board.chosen) return;
    const by = event.clientX - touched;
    touched = null;
    if (Math.abs(by) > 40 && !board.drawn) step(by < 0 ? "forward" : "back");
  });
}

function listen() {
  document.addEventListener("keydown", keys);
  for (const button of document.querySelectorAll("[data-step]")) {
    button.addEventListener("click", () => step(button.dataset.step));
  }
  for (const each of TABS) {
    byId(`tab-${each}`).addEventListener("click", (event) => {
      showTab(each);
      // After a click with the mouse the arrow keys step through the game.
      if (event.detail) event.currentTarget.blur();
    });
  }
  byId("help-button").addEventListener("click", (event) => {
    byId("help").hidden = !byId("help").hidden;
    event.currentTarget.setAttribute("aria-expanded", String(!byId("help").hidden));
  });
  byId("drawer-button").addEventListener("click", () => openDrawer(!document.body.classList.contains("drawer")));
  byId("stop").addEventListener("click", stopSearch);
  byId("back-to-game").addEventListener("click", backToGame);
  byId("remove").addEventListener("click", removeLine);
  byId("remark").addEventListener("change", (event) => {
    node.remark = event.target.value.trim();
    notebook.save(model);
    // Later: the click that ended the writing may be on a move of this list.
    setTimeout(() => {
      moves.show(model);
      moves.mark(node);
      showText(model, byId("text"));
    }, 200);
  });
  byId("remark").addEventListener("keydown", (event) => event.key === "Escape" && event.target.blur());
  byId("follow").addEventListener("change", () => byId("follow").checked && node.fen && follow(node.fen));
  byId("typed").addEventListener("input", () => byId("typed").setCustomValidity(""));
  byId("typed").addEventListener("keydown", (event) => {
    if (event.key === "Enter") playTyped();
    else if (event.key === "Escape") byId("typed").blur();
  });
  listenToBoard();
  new ResizeObserver(() => showTab(state.tab)).observe(document.querySelector(".study"));
  addEventListener("hashchange", () => restore().catch(trouble));
  onNewEdition(() => renew().catch(trouble));
}

// An archive has changed: asks again for everything that is shown.
async function renew() {
  await describe();
  const { stats, standings } = await reports();
  standings.again();
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
  byId("about").textContent = `${count(games, "game", "games")} \u00b7 ${names.length > 3 ? `${names.length} archives` : names.join(", ")}`;
  byId("about").title = about.archives.map((archive) => `${archive.path}: ${number(archive.games)}`).join("\n");
  notebook.archive = about.archives[about.notebook] && { place: about.notebook, ...about.archives[about.notebook] };
  if (table) table.archives = about.archives;
}

async function start() {
  theme(byId("theme"), kept);
  layOut(moves);
  board.show(START);
  await describe();
  table = new GameTable({
    archives: about.archives,
    sorts: about.sorts,
    onOpen: openFound,
    onSort: sort,
    onFailure: trouble,
  });
  if (about.engine) {
    const { EnginePanel } = await import("./engine.js");
    engine = new EnginePanel(about.engine, (move) => play(move));
  }
  listen();
  await restore();
  document.documentElement.dataset.ready = "yes";
}

start().catch(trouble);
