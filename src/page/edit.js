// Sets up a position: pieces, the side to move, castling; and reads a FEN or a game that is pasted.

import { ask, byId, make, send } from "./common.js";
import { placement } from "./board.js";
import { pieceButton } from "./pieces.js";

const CASTLING = [["K", "White O-O"], ["Q", "White O-O-O"], ["k", "Black O-O"], ["q", "Black O-O-O"]];
const EMPTY = "8/8/8/8/8/8/8/8";

// The pieces of a map of squares as the first field of a FEN.
function field(pieces) {
  const rows = [];
  for (let rank = 8; rank >= 1; rank -= 1) {
    let [row, empty] = ["", 0];
    for (const file of "abcdefgh") {
      const letter = pieces.get(file + rank);
      if (letter) {
        row += (empty || "") + letter;
        empty = 0;
      } else empty += 1;
    }
    rows.push(row + (empty || ""));
  }
  return rows.join("/");
}

export class Editor {
  // `use` is called with a position of the server, `search` with parameters of a search, `done` when
  // the editor closes.
  constructor(board, { use, search, done }) {
    Object.assign(this, { board, use, search, done });
    this.element = byId("editor");
    this.hand = "P";
    const hand = (letter) => pieceButton(letter, () => this.take(letter));
    this.palette = make("div", { class: "palette", role: "group", "aria-label": "Piece to place" },
      ...[..."KQRBNPkqrbnp"].map(hand),
      make("button", { type: "button", class: "quiet", "data-piece": "", "aria-label": "Take pieces off", click: () => this.take("") }, "\u2715"));
    this.side = make("select", { "aria-label": "Side to move", change: () => this.changed() },
      make("option", { value: "w" }, "White to move"), make("option", { value: "b" }, "Black to move"));
    this.castling = CASTLING.map(([letter, label]) => [letter, make("input", { type: "checkbox", change: () => this.changed() }), label]);
    this.fen = make("input", { type: "text", "aria-label": "FEN", spellcheck: "false", change: () => this.read(this.fen.value) });
    this.said = make("p", { class: "failed", role: "status" });
    const button = (label, click, kind = "quiet small") => make("button", { type: "button", class: kind, click }, label);
    this.element.append(this.palette,
      make("p", { class: "choices" }, this.side, ...this.castling.map(([, input, label]) => make("label", {}, input, label))),
      this.fen, this.said,
      make("p", { class: "choices" },
        button("Empty board", () => this.read(`${EMPTY} w - - 0 1`)),
        button("Use it", () => this.finish(), "small"),
        button("Search for it", () => this.searchFor("fen")),
        button("Search as a pattern", () => this.searchFor("pattern")),
        button("Cancel", () => this.close())));
  }

  get isOpen() {
    return !this.element.hidden;
  }

  open(fen) {
    this.element.hidden = false;
    this.board.edited = true;
    this.take(this.hand);
    this.read(fen);
  }

  close() {
    this.element.hidden = true;
    this.board.edited = false;
    this.done();
  }

  take(letter) {
    this.hand = letter;
    for (const button of this.palette.children) button.setAttribute("aria-pressed", String(button.dataset.piece === letter));
  }

  // A click on a square puts the chosen piece there, or takes the same piece away.
  click(square) {
    if (!this.hand || this.pieces.get(square) === this.hand) this.pieces.delete(square);
    else this.pieces.set(square, this.hand);
    this.changed();
  }

  read(fen) {
    const fields = fen.trim().split(/\s+/);
    this.pieces = placement(fields[0]);
    this.side.value = fields[1] === "b" ? "b" : "w";
    for (const [letter, input] of this.castling) input.checked = (fields[2] ?? "-").includes(letter);
    this.changed();
  }

  changed() {
    const rights = this.castling.filter(([, input]) => input.checked).map(([letter]) => letter).join("") || "-";
    this.value = `${field(this.pieces)} ${this.side.value} ${rights} - 0 1`;
    this.fen.value = this.value;
    this.said.textContent = "";
    this.board.show(this.value);
  }

  async finish() {
    try {
      const position = await ask("position", { fen: this.value });
      this.close();
      this.use(position);
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
    this.close();
    this.search(kind === "fen" ? ["fen", this.value.split(" ").slice(0, 3).join(" ")] : ["pattern", squares.join(" ")]);
  }
}

const isFen = (text) => text.split(/\s+/)[0].split("/").length >= 8;

// The field into which a FEN or a game is pasted. `onPosition` and `onGame` get what the server read.
export function pasteField(onPosition, onGame) {
  const said = make("p", { class: "failed", role: "status" });
  const area = make("textarea", { rows: "4", "aria-label": "FEN or PGN", placeholder: "Paste a FEN or a game in PGN", spellcheck: "false" });
  const load = async () => {
    const text = area.value.trim();
    said.textContent = "";
    if (!text) return;
    try {
      if (isFen(text)) onPosition(await ask("position", { fen: text }));
      else onGame(await send("paste", {}, text));
      area.value = "";
    } catch (error) {
      said.textContent = error.message;
    }
  };
  return make("div", { class: "paste" }, area, make("p", {}, make("button", { type: "button", class: "small", click: load }, "Show")), said);
}
