// A game: its moves as a tree of nodes, and how they are shown.

import { copyButton, count, dateText, known, linked, make, playersText, resultText } from "./common.js";
import { GLYPHS, judge, marksOf } from "./facts.js";
import { pgnOf, START } from "./pgn.js";

// A position of a game: the move that led to it, the position before it, and those after it.
class GameNode {
  constructor(move, parent, path, isMain) {
    Object.assign(this, { move, parent, path, isMain, next: null, others: [], remark: "", shapes: [] });
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
    judge(this);
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

  // Takes one of the user's own moves away, and all behind it.
  remove(node) {
    const { parent } = node;
    if (parent.next === node) parent.next = parent.others.find((other) => other.isMine) ?? null;
    parent.others = parent.others.filter((other) => other !== node && other !== parent.next);
  }

  // All nodes, each before those behind it.
  * walk() {
    const waiting = [this.root];
    while (waiting.length) {
      const node = waiting.pop();
      yield node;
      waiting.push(...node.children.toReversed());
    }
  }

  // What the user has made of the game: moves, comments and drawings, each with the place of the
  // node before it in this list, or the path of one of the game.
  get own() {
    const [own, places] = [[], new Map()];
    for (const node of this.walk()) {
      const { remark, shapes, isMine, parent } = node;
      if (!isMine && !remark && !shapes.length) continue;
      const before = isMine ? places.get(parent) ?? parent.path : node.path;
      places.set(node, own.length);
      own.push({ at: before, move: isMine ? node.move : null, remark, shapes });
    }
    return own;
  }

  // Puts it back.
  restore(own) {
    const made = [];
    for (const { at, move, remark, shapes } of own) {
      const before = typeof at === "number" ? made[at] : this.nodes.get(at);
      const node = before && (move ? this.play(before, move) : before);
      made.push(node);
      if (node) Object.assign(node, { remark, shapes });
    }
  }

  get isTouched() {
    return this.own.length > 0;
  }

  get players() {
    return playersText(this.tag("White"), this.tag("Black"), this.name);
  }

  // The number of the game in its archive, without the folder of the archive.
  get name() {
    return this.data.number ? this.data.address.split(/[\\/]/).at(-1) : this.note?.from ?? "";
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

// A comment without its commands.
const plain = (text) => text.replace(/\[%[^\]]*\]/g, "").replace(/\s+/g, " ").trim();

// A comment in which an engine wrote only values, such as "+0.35/21 1.2s" or "d=31, mt=00:01:05".
const isValues = (text) => /^\(?[+-]?#?M?[\d.]+\/\d+\b/.test(text) || /^(?:\w+=[^,;]*[,;]\s*){2,}/.test(text);

const comments = (list) =>
  (list ?? []).map(plain).filter(Boolean).map((text) => (isValues(text)
    ? make("span", { class: "comment values", title: text }, text)
    : make("span", { class: "comment" }, text)));

const nags = (list) => (list ?? []).map(({ nag, name }) =>
  make("span", { class: `nag nag-${nag}`, title: name ?? `$${nag}` }, GLYPHS[nag] ?? `$${nag}`));

const remarkOf = (node) => (node.remark ? [make("span", { class: "comment mine" }, node.remark)] : []);

// The glyphs of a move; where it has none, what its evaluations say of it.
function glyphs(node) {
  if (node.move.nags?.length) return nags(node.move.nags);
  const found = node.judgement;
  return found ? [make("span", { class: `nag nag-${found.nag} found`, title: `${found.name}, by the evaluations` }, GLYPHS[found.nag])] : [];
}

export const numbered = (node) => `${Math.floor(node.num / 2)}${node.num % 2 ? "\u2026" : "."}`;

// Shows the moves of a game; calls `go` with the node of a move that is clicked, `step` to open the
// next game or the one before.
export class MoveList {
  constructor(element, go, step) {
    Object.assign(this, { element, go, step });
    this.buttons = new Map();
  }

  show(model) {
    this.buttons = new Map();
    const { data } = model;
    const body = make("div", { class: "line main" });
    body.append(...comments(data.comments), ...remarkOf(model.root));
    this.line(model.root, body, true);
    if (data.text) {
      body.append(make("p", { class: "rest" }, make("b", {}, "Not legal chess from here on: "), data.text));
    }
    if (data.termination) body.append(make("span", { class: "outcome" }, resultText(data.termination)));
    const facts = ["Annotator", "TimeControl", "Termination", "Opening"].filter((name) => model.tag(name));
    this.element.replaceChildren(title(model, this.step), body, ...(this.footer ? [this.footer] : []));
    if (facts.length) {
      const list = facts.map((name) => make("div", {}, make("dt", {}, name), make("dd", {}, linked(model.tag(name)))));
      this.element.append(make("dl", { class: "facts" }, list));
    }
  }

  // The moves behind a node, and the variations beside each.
  line(from, target, isFirst) {
    let needsNumber = isFirst;
    for (let node = from.next; node; node = node.next) {
      this.move(node, target, needsNumber);
      const texts = [...comments(node.move.comments), ...remarkOf(node)];
      target.append(...texts);
      needsNumber = texts.length > 0;
      for (const other of node.parent.others) {
        const variation = make("div", { class: `line variation${other.isMine ? " mine" : ""}` });
        variation.append(...comments(other.move.before));
        this.move(other, variation, true);
        const own = [...comments(other.move.comments), ...remarkOf(other)];
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
    const button = make("button", { type: "button", class: `move${node.isMine ? " mine" : ""}`, click, tabindex: "-1", title: marksOf(node) || undefined },
      node.move.san, ...glyphs(node));
    this.buttons.set(node, button);
    const number = isWhite || needsNumber ? [make("span", { class: "number" }, numbered(node))] : [];
    target.append(make("span", { class: "ply" }, ...number, button));
  }

  // Marks the move on the board. Of all moves one can be reached with the tab key; the arrow keys
  // step through the others.
  mark(node) {
    const old = this.element.querySelector("[aria-current]");
    old?.removeAttribute("aria-current");
    const button = this.buttons.get(node);
    const stop = button ?? this.buttons.values().next().value;
    if (this.stop) this.stop.tabIndex = -1;
    if (stop) stop.tabIndex = 0;
    this.stop = stop;
    if (!button) {
      this.element.scrollTop = 0;
      return;
    }
    button.setAttribute("aria-current", "true");
    if (old && document.activeElement === old) button.focus({ preventScroll: true });
    const [inner, outer] = [button.getBoundingClientRect(), this.element.getBoundingClientRect()];
    if (outer.height && (inner.top < outer.top + 40 || inner.bottom > outer.bottom - 40)) {
      this.element.scrollTop += inner.top - outer.top - outer.height / 3;
    }
  }
}

// A row of buttons and values above the moves: who played, where and when.
function title(model, step) {
  const { data } = model;
  if (!data.pgn) {
    return model.root.next ? "" : make("p", { class: "hint" }, "Choose a game, move the pieces, or play through the opening tree.");
  }
  const where = [known(model.tag("Event")), dateText(model.tag("Date"))].filter(Boolean);
  const round = known(model.tag("Round")) ? `round ${model.tag("Round")}` : "";
  const variant = /^(standard|chess)$/i.test(model.tag("Variant")) ? "" : model.tag("Variant");
  const facts = [...where, round, model.tag("ECO"), variant].filter(Boolean).join(" \u00b7 ");
  const site = known(model.tag("Site")) ? make("p", {}, linked(model.tag("Site"))) : null;
  const button = (label, by, sign) => make("button", { type: "button", class: "quiet small", "aria-label": label, title: label, click: () => step(by) }, sign);
  return make("header", { class: "title" },
    make("div", { class: "title-row" },
      make("h2", {}, model.players),
      ...(data.number ? [button("Previous game (k)", -1, "\u2039"), button("Next game (j)", 1, "\u203a")] : [])),
    make("p", {}, facts), site,
    make("p", { class: "address" }, `${model.name || "pasted"} \u00b7 ${count(data.moves.length, "half move", "half moves")}`),
    errors(model));
}

// The number of inaccuracies, mistakes and blunders of each side.
function errors(model) {
  const sides = [["White", 0], ["Black", 1]].map(([name, side]) => {
    const made = model.main.filter((node) => node.move && node.num % 2 === side && node.judgement);
    const words = [[6, "inaccuracy", "inaccuracies"], [2, "mistake", "mistakes"], [4, "blunder", "blunders"]].map(([nag, one, many]) => {
      const found = made.filter((node) => node.judgement.nag === nag).length;
      return found ? count(found, one, many) : null;
    });
    const text = words.filter(Boolean).join(", ");
    return text && `${name}: ${text}`;
  });
  const text = sides.filter(Boolean).join(" \u00b7 ");
  return text ? make("p", { class: "errors" }, text) : null;
}

// Shows the text of a game as it was written, or with what the user has made of it.
export function showText(model, element) {
  const text = pgnOf(model);
  const hint = model.data.pgn && model.isTouched ? " with your own moves and comments" : "";
  element.replaceChildren(...(text ? [make("p", { class: "copy" }, copyButton("Copy PGN", () => text), hint), make("pre", {}, text)]
    : [make("p", { class: "hint" }, "There is no game, and no move.")]));
}
