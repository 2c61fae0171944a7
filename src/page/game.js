// A game: its moves as a tree of nodes, and how they are shown.

import { byId, count, draw, make } from "./common.js";

export const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

const GLYPHS = {
  1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!", 7: "\u25a1", 10: "=", 13: "\u221e", 14: "\u2a72", 15: "\u2a71",
  16: "\u00b1", 17: "\u2213", 18: "+\u2212", 19: "\u2212+", 22: "\u2a00", 23: "\u2a00", 36: "\u2191", 37: "\u2191",
  40: "\u2192", 41: "\u2192", 44: "=\u221e", 45: "=\u221e", 132: "\u21c6", 133: "\u21c6", 140: "\u2206", 146: "N",
};

// A position of a game: the move that led to it, the position before it, and those after it.
class GameNode {
  constructor(move, parent, path, isMain) {
    Object.assign(this, { move, parent, path, isMain, next: null, others: [] });
    this.fen = move?.fen;
    this.num = parent ? parent.num + 1 : 0;
  }

  get children() {
    return this.next ? [this.next, ...this.others] : this.others;
  }
}

export class GameModel {
  // `data` is the server's game; by default a game without moves.
  constructor(data = { moves: [], fen: START, ply: 2, tags: {} }) {
    this.data = data;
    this.root = new GameNode(null, null, "", true);
    this.root.fen = data.fen;
    this.root.num = (data.ply ?? 2) - 1;
    this.nodes = new Map([["", this.root]]);
    this.main = [this.root];
    this.grow(this.root, data.moves, "", true);
    let node = this.root;
    while (node.next) this.main.push((node = node.next));
  }

  // Adds a line behind a node. The path of a move is its number in the line, from 1; in a variation
  // it follows the path of the move that the variation replaces, and the number of the variation:
  // `12.1.3`.
  grow(from, moves, prefix, isMain) {
    let node = from;
    moves.forEach((move, at) => {
      const before = node;
      const path = prefix + (at + 1);
      node = new GameNode(move, before, path, isMain);
      this.nodes.set(path, node);
      if (at === 0 && !isMain) before.others.push(node);
      else before.next = node;
      (move.variations ?? []).forEach((line, which) => this.grow(before, line, `${path}.${which + 1}.`, false));
    });
  }

  // The node of a move that the user plays: an existing one, or a new one.
  play(from, move) {
    const bare = (san) => san.replace(/[+#]$/, "");
    const known = from.children.find((node) => bare(node.move.san) === bare(move.san));
    if (known) return known;
    const node = new GameNode(move, from, null, false);
    node.isMine = true;
    if (from.next) from.others.push(node);
    else from.next = node;
    return node;
  }

  // The path of a node, and the user's own moves behind it.
  address(node) {
    const own = [];
    let at = node;
    for (; at.isMine; at = at.parent) own.unshift(at.move.san);
    return [at.path, own];
  }

  get hasBoard() {
    return Boolean(this.root.fen);
  }

  tag(name) {
    return this.data.tags?.[name] ?? "";
  }
}

// The clocks of White and Black at a node.
export function clocks(node) {
  const found = [null, null];
  for (let at = node; at?.move && (found[0] === null || found[1] === null); at = at.parent) {
    const side = at.num % 2;
    if (found[side] === null && at.move.clock !== undefined) found[side] = at.move.clock;
  }
  return found;
}

export function clockText(seconds) {
  if (seconds === null) return "";
  const all = Math.floor(seconds);
  const two = (value) => String(value).padStart(2, "0");
  return `${Math.floor(all / 3600)}:${two(Math.floor(all / 60) % 60)}:${two(all % 60)}`;
}

// A comment without its commands.
const plain = (text) => text.replace(/\[%[^\]]*\]/g, "").replace(/\s+/g, " ").trim();

const comments = (list) =>
  (list ?? []).map(plain).filter(Boolean).map((text) => make("span", { class: "comment" }, text));

function glyphs(move) {
  return (move.nags ?? []).map(({ nag, name }) =>
    make("span", { class: `nag nag-${nag}`, title: name ?? `$${nag}` }, GLYPHS[nag] ?? `$${nag}`));
}

const numbered = (node) => `${Math.floor(node.num / 2)}${node.num % 2 ? "\u2026" : "."}`;

// Shows the moves of a game; calls `go` with the node of a move that is clicked.
export class MoveList {
  constructor(element, go) {
    this.element = element;
    this.go = go;
    this.buttons = new Map();
  }

  show(model) {
    this.buttons = new Map();
    const { data } = model;
    const body = make("div", { class: "line main" });
    body.append(...comments(data.comments));
    this.line(model.root, body, true);
    if (data.text) {
      body.append(make("p", { class: "rest" }, make("b", {}, "Not legal chess from here on: "), data.text));
    }
    if (data.termination) body.append(make("span", { class: "outcome" }, data.termination));
    const facts = ["Annotator", "TimeControl", "Termination", "Opening"].filter((name) => model.tag(name));
    this.element.replaceChildren(title(model), body);
    if (facts.length) {
      const list = facts.map((name) => make("div", {}, make("dt", {}, name), make("dd", {}, model.tag(name))));
      this.element.append(make("dl", { class: "facts" }, list));
    }
  }

  // The moves behind a node, and the variations beside each.
  line(from, target, isFirst) {
    let needsNumber = isFirst;
    for (let node = from.next; node; node = node.next) {
      this.move(node, target, needsNumber);
      const texts = comments(node.move.comments);
      target.append(...texts);
      needsNumber = texts.length > 0;
      for (const other of node.parent.others) {
        const variation = make("div", { class: `line variation${other.isMine ? " mine" : ""}` });
        variation.append(...comments(other.move.before));
        this.move(other, variation, true);
        const own = comments(other.move.comments);
        variation.append(...own);
        this.line(other, variation, own.length > 0);
        target.append(variation);
        needsNumber = true;
      }
    }
  }

  move(node, target, needsNumber) {
    const isWhite = node.num % 2 === 0;
    const click = () => this.go(node);
    const button = make("button", { type: "button", class: `move${node.isMine ? " mine" : ""}`, click }, node.move.san, ...glyphs(node.move));
    this.buttons.set(node, button);
    const number = isWhite || needsNumber ? [make("span", { class: "number" }, numbered(node))] : [];
    target.append(make("span", { class: "ply" }, ...number, button));
  }

  mark(node) {
    this.element.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const button = this.buttons.get(node);
    if (!button) {
      this.element.scrollTop = 0;
      return;
    }
    button.setAttribute("aria-current", "true");
    const [inner, outer] = [button.getBoundingClientRect(), this.element.getBoundingClientRect()];
    if (outer.height && (inner.top < outer.top + 40 || inner.bottom > outer.bottom - 40)) {
      this.element.scrollTop += inner.top - outer.top - outer.height / 3;
    }
  }
}

const known = (value) => value && !/^[?.]+$/.test(value);

function title(model) {
  const { data } = model;
  if (!data.number) {
    return make("p", { class: "hint" }, "Choose a game, or play through the opening tree.");
  }
  const where = [model.tag("Event"), model.tag("Site"), model.tag("Date")].filter(known);
  const round = known(model.tag("Round")) ? `round ${model.tag("Round")}` : "";
  const facts = [...where, round, model.tag("ECO")].filter(Boolean).join(" \u00b7 ");
  return make("header", { class: "title" },
    make("h2", {}, `${model.tag("White") || "?"} \u2013 ${model.tag("Black") || "?"}`),
    make("p", {}, facts),
    make("p", { class: "address" }, `${data.address} \u00b7 ${count(data.moves.length, "half move", "half moves")}`));
}

// The player's line above or below the board.
export function playerLine(element, model, isWhite, node, showStats) {
  const [name, elo, titled] = isWhite ? ["White", "WhiteElo", "WhiteTitle"] : ["Black", "BlackElo", "BlackTitle"];
  const player = model.tag(name);
  const clock = clocks(node)[isWhite ? 0 : 1];
  const turn = node.fen?.split(" ")[1] === (isWhite ? "w" : "b");
  element.classList.toggle("to-move", turn);
  const label = known(player)
    ? make("button", { type: "button", class: "name", click: () => showStats(player), title: `What ${player} scored` }, player)
    : make("span", { class: "name" }, name);
  element.replaceChildren(
    make("span", { class: `disc ${isWhite ? "white" : "black"}`, "aria-hidden": "true" }),
    ...(model.tag(titled) ? [make("span", { class: "person-title" }, model.tag(titled))] : []),
    label,
    make("span", { class: "elo" }, /^\d+$/.test(model.tag(elo)) ? model.tag(elo) : ""),
    make("span", { class: "clock" }, clockText(clock)));
}

const WIDTH = 320;
const HEIGHT = 64;

const value = (move) => {
  if (move?.mate !== undefined) return move.mate > 0 || Object.is(move.mate, 0) ? 1 : -1;
  return move?.eval === undefined ? null : Math.tanh(move.eval / 4);
};

const evalText = (move) => {
  const text = move.mate !== undefined ? `#${move.mate}` : `${move.eval > 0 ? "+" : ""}${move.eval.toFixed(2)}`;
  return move.depth === undefined ? text : `${text}, depth ${move.depth}`;
};

// The evaluations of the main line as a curve; a click goes to the move.
export class Curve {
  constructor(element, go) {
    this.element = element;
    this.go = go;
  }

  show(model) {
    this.model = model;
    const known = model.main.map((node) => value(node.move));
    this.element.hidden = known.filter((each) => each !== null).length < 2;
    if (this.element.hidden) return;
    this.step = WIDTH / Math.max(1, model.main.length - 1);
    const points = [];
    known.forEach((each, at) => {
      if (each !== null) points.push([at * this.step, (HEIGHT / 2) * (1 - each)]);
    });
    const path = points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L");
    const [first, last] = [points[0][0].toFixed(1), points[points.length - 1][0].toFixed(1)];
    this.cursor = draw("line", { class: "cursor", y1: 0, y2: HEIGHT });
    const click = (event) => {
      const box = plot.getBoundingClientRect();
      const at = Math.round(((event.clientX - box.left) / box.width) * (model.main.length - 1));
      this.go(model.main[Math.min(model.main.length - 1, Math.max(0, at))]);
    };
    const plot = draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", click,
      "aria-label": "Evaluation of the game by an engine; the arrow keys step through it" },
      draw("path", { class: "area", d: `M${first} ${HEIGHT}L${path}L${last} ${HEIGHT}z` }),
      draw("path", { class: "curve-line", d: `M${path}` }),
      draw("line", { class: "axis", x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2 }),
      this.cursor);
    this.label = make("span", { class: "eval" });
    this.element.replaceChildren(plot, this.label);
  }

  mark(node) {
    if (this.element.hidden) return;
    const at = this.model.main.indexOf(node);
    this.cursor.style.display = at < 0 ? "none" : "";
    this.cursor.setAttribute("x1", at * this.step);
    this.cursor.setAttribute("x2", at * this.step);
    this.label.textContent = node.move && value(node.move) !== null ? evalText(node.move) : "";
  }
}

// The text of a game as it was written, and its address for the command line.
export function showText(model) {
  const { data } = model;
  if (!data.number) {
    byId("text").replaceChildren(make("p", { class: "hint" }, "No game is open."));
    return;
  }
  const copied = make("span", { role: "status" });
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(data.pgn);
      copied.textContent = "copied";
    } catch {
      copied.textContent = "the browser does not allow it";
    }
  };
  byId("text").replaceChildren(
    make("p", { class: "copy" }, make("button", { type: "button", class: "quiet", click: copy }, "Copy"), copied),
    make("pre", {}, data.pgn));
}
