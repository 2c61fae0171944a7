// Sets up a position: all fields of a FEN and the rules. Loaded when somebody sets one up.

import { ask, byId, make } from "./common.js";
import { placement, pocket } from "./board.js";
import { pieceButton } from "./pieces.js";

// The rules that a Variant tag may name, as the editor offers them.
const RULES = ["", "Chess960", "Crazyhouse", "Three-check", "Atomic", "Antichess", "Horde", "King of the Hill", "Racing Kings"];
const bare = (rules) => rules.toLowerCase().replace(/[^a-z0-9]/g, "");
const isHouse = (rules) => /^(crazyhouse|zh|house)$/.test(bare(rules));
const isThreeCheck = (rules) => /^(three|3)check/.test(bare(rules));
const is960 = (rules) => /960|fischer|^frc$|freestyle/.test(bare(rules));
const EMPTY = "8/8/8/8/8/8/8/8";
const FILES = "abcdefgh";

// The squares of pieces in a FEN that were pawns: "Q~" in Crazyhouse.
function promoted(board) {
  const plain = board.replace(/[A-Za-z]~/g, "1");
  const [all, others] = [placement(board.replaceAll("~", "")), placement(plain)];
  return new Set([...all.keys()].filter((square) => !others.has(square)));
}

// The pieces of a map of squares as the first field of a FEN.
function field(pieces, marked) {
  const rows = [];
  for (let rank = 8; rank >= 1; rank -= 1) {
    let [row, empty] = ["", 0];
    for (const file of FILES) {
      const letter = pieces.get(file + rank);
      if (letter) {
        row += (empty || "") + letter + (marked.has(file + rank) ? "~" : "");
        empty = 0;
      } else empty += 1;
    }
    rows.push(row + (empty || ""));
  }
  return rows.join("/");
}

export class Editor {
  // `use` is called with a position of the server and its rules, `search` with parameters of a
  // search, `done` when the editor closes.
  constructor(board, { use, search, done }) {
    Object.assign(this, { board, use, search, done });
    this.element = byId("editor");
    this.hand = "P";
    const hand = (letter) => pieceButton(letter, () => this.take(letter));
    this.palette = make("div", { class: "palette", role: "group", "aria-label": "Piece to place" },
      ...[..."KQRBNPkqrbnp"].map(hand),
      make("button", { type: "button", class: "quiet", "data-piece": "", "aria-label": "Take pieces off", click: () => this.take("") }, "\u2715"));
    const change = () => this.changed();
    const input = (label, attributes) => make("input", { type: "text", "aria-label": label, spellcheck: "false", change, ...attributes });
    this.side = make("select", { "aria-label": "Side to move", change },
      make("option", { value: "w" }, "White to move"), make("option", { value: "b" }, "Black to move"));
    this.castling = make("span", { class: "choices", role: "group", "aria-label": "Castling" });
    this.passant = make("select", { change });
    this.half = input("Half moves since a capture or a pawn's move", { type: "number", min: 0 });
    this.full = input("Number of the move", { type: "number", min: 1 });
    this.rules = make("select", { change: () => this.ruled() });
    this.held = input("Pieces in hand", { placeholder: "QPPn" });
    this.checks = input("Checks left", { placeholder: "3+3" });
    this.fen = input("FEN", { change: () => this.read(this.fen.value) });
    this.said = make("p", { class: "failed", role: "status" });
    const button = (label, click, kind = "quiet small") => make("button", { type: "button", class: kind, click }, label);
    const named = (label, control) => make("label", {}, label, control);
    this.more = [named("In hand", this.held), named("Checks left", this.checks)];
    this.element.append(make("h2", {}, "Set up a position"), this.palette,
      make("p", { class: "choices" }, this.side, named("Rules", this.rules)), this.castling,
      make("p", { class: "choices" }, named("En passant", this.passant), named("Quiet half moves", this.half), named("Move", this.full), ...this.more),
      this.fen, this.said,
      make("p", { class: "choices" },
        button("Use it", () => this.finish(), "small"),
        button("Cancel", () => this.close()),
        button("Empty board", () => this.read(`${EMPTY} w - - 0 1`)),
        button("Search for it", () => this.searchFor("fen")),
        button("Search as a pattern", () => this.searchFor("pattern"))));
  }

  get isOpen() {
    return !this.element.hidden;
  }

  open(fen, rules = "") {
    this.element.hidden = false;
    document.body.classList.add("editing");
    this.board.edited = true;
    const known = RULES.find((name) => bare(name) === bare(rules));
    const names = known === undefined ? [rules, ...RULES] : RULES.map((name) => (name === known ? rules : name));
    this.rules.replaceChildren(...names.map((value) => make("option", { value }, value || "Chess")));
    this.rules.value = rules;
    this.take(this.hand);
    this.read(fen);
    this.first = [this.value, rules].join();
  }

  close() {
    this.element.hidden = true;
    document.body.classList.remove("editing");
    this.board.edited = false;
    this.done();
  }

  take(letter) {
    this.hand = letter;
    for (const button of this.palette.children) button.setAttribute("aria-pressed", String(button.dataset.piece === letter));
  }

  // A click on a square puts the chosen piece there, or takes the same piece away.
  click(square, isRemoved = false) {
    if (isRemoved || !this.hand || this.pieces.get(square) === this.hand) this.pieces.delete(square);
    else this.pieces.set(square, this.hand);
    this.promoted.delete(square);
    this.changed();
  }

  // Fills the controls from a FEN; what a short one leaves out is as usual.
  read(fen) {
    const [board, side, castling = "-", passant = "-", ...rest] = fen.trim().split(/\s+/);
    const rows = board.split("[")[0].split("/").slice(0, 8).join("/");
    [this.pieces, this.promoted] = [placement(rows.replaceAll("~", "")), promoted(rows)];
    this.side.value = side === "b" ? "b" : "w";
    this.rights = new Set(castling.replace("-", ""));
    this.square = /^[a-h][36]$/.test(passant) ? passant : "-";
    const counters = rest.filter((field) => /^\d+$/.test(field));
    [this.half.value, this.full.value] = [counters[0] ?? "0", counters[1] ?? "1"];
    this.checks.value = rest.find((field) => field.includes("+")) ?? "3+3";
    this.held.value = pocket(fen);
    this.passant.value = "";
    this.changed();
  }

  // Other rules: rights to castle are named by them, and each has fields of its own.
  ruled() {
    if (!is960(this.rules.value)) this.rights = new Set([...this.rights].filter((right) => "KQkq".includes(right)));
    this.changed();
  }

  // The rights to castle that can be chosen, with a label: in Chess960 one for each rook beside the
  // king, where the outermost is K or Q and another one is named by its file.
  rightsOffered() {
    const offered = new Map([["K", "White O-O"], ["Q", "White O-O-O"], ["k", "Black O-O"], ["q", "Black O-O-O"]]);
    if (is960(this.rules.value)) {
      for (const [rank, colour] of [["1", "White"], ["8", "Black"]]) {
        const own = (letter) => (rank === "1" ? letter.toUpperCase() : letter);
        const on = (letter) => [...FILES].filter((file) => this.pieces.get(file + rank) === own(letter));
        const [king] = on("k");
        for (const [name, files] of [["k", on("r").filter((file) => file > king).reverse()], ["q", on("r").filter((file) => file < king)]]) {
          files.forEach((file, at) => offered.set(own(at ? file : name), `${colour} ${name === "k" ? "O-O" : "O-O-O"} with ${file}${rank}`));
        }
      }
    }
    for (const right of this.rights) if (!offered.has(right)) offered.set(right, `right ${right}`);
    return offered;
  }

  // The squares that a pawn may have passed, the one of the FEN among them.
  squaresPassed() {
    const [rank, behind, home, pawn] = this.side.value === "w" ? ["6", "5", "7", "p"] : ["3", "4", "2", "P"];
    const passed = [...FILES].filter((file) => this.pieces.get(file + behind) === pawn && !this.pieces.has(file + rank) && !this.pieces.has(file + home));
    return [...new Set(["-", this.square, ...passed.map((file) => file + rank)])];
  }

  changed() {
    if (this.passant.value) this.square = this.passant.value;
    if (this.square.endsWith(this.side.value === "w" ? "3" : "6")) this.square = "-";
    const toggle = (right) => (event) => {
      this.rights[event.target.checked ? "add" : "delete"](right);
      this.changed();
    };
    this.castling.replaceChildren(...[...this.rightsOffered()].map(([right, label]) =>
      make("label", {}, make("input", { type: "checkbox", "data-right": right, checked: this.rights.has(right), change: toggle(right) }), label)));
    this.passant.replaceChildren(...this.squaresPassed().map((value) => make("option", { value }, value === "-" ? "none" : value)));
    this.passant.value = this.square;
    const [house, three] = [isHouse(this.rules.value), isThreeCheck(this.rules.value)];
    [this.more[0].hidden, this.more[1].hidden] = [!house, !three];
    const order = [..."KQkq"];
    const rights = [...this.rights].sort((a, b) => (b < "a") - (a < "a") || order.indexOf(a) - order.indexOf(b)).join("") || "-";
    const checks = three ? `${this.checks.value.trim() || "3+3"} ` : "";
    const held = house ? `[${this.held.value.trim()}]` : "";
    this.value = `${field(this.pieces, house ? this.promoted : new Set())}${held} ${this.side.value} ${rights} ${this.square} ${checks}${this.half.value || 0} ${this.full.value || 1}`;
    this.fen.value = this.value;
    this.said.textContent = "";
    this.board.show(this.value);
  }

  async finish() {
    // A game stays on the board whose position was only looked at.
    if (this.first === [this.value, this.rules.value].join()) {
      this.close();
      return;
    }
    const rules = this.rules.value;
    try {
      const position = await ask("position", { fen: this.value, variant: rules });
      this.close();
      this.use(position, rules);
    } catch (error) {
      this.said.textContent = error.message;
    }
  }

  searchFor(kind) {
    const squares = [...this.pieces].map(([square, letter]) => letter + square).sort();
    if (!squares.length) {
      this.said.textContent = "There is no piece on the board.";
      return;
    }
    const { value: rules } = this.rules;
    this.close();
    this.search([kind === "fen" ? ["fen", this.value.split(" ").slice(0, 4).join(" ")] : ["pattern", squares.join(" ")], ["variant", rules]]);
  }
}
