// The board: shows a position, lets the user move its pieces, and describes it for screen readers.

import { draw, make } from "./common.js";
import { NAMES, piece, pieceButton } from "./pieces.js";

const SIDE = 40;
const FILES = "abcdefgh";
const COLOURS = { R: "red", G: "green", Y: "yellow", B: "blue" };

// The pieces of a FEN by square: "e4" -> "P".
export function placement(fen) {
  const pieces = new Map();
  const rows = fen.split(" ")[0].split("[")[0].split("/");
  rows.slice(0, 8).forEach((row, down) => {
    let file = 0;
    for (const c of row) {
      if (c >= "1" && c <= "8") file += Number(c);
      else if (/[a-z]/i.test(c)) {
        if (file < 8) pieces.set(FILES[file] + (8 - down), c);
        file += 1;
      }
    }
  });
  return pieces;
}

// The pieces in hand of a FEN of Crazyhouse, White's in capitals: "PPn".
export const pocket = (fen) => /\[([A-Za-z]*)\]/.exec(fen)?.[1] ?? fen.split(" ")[0].split("/")[8] ?? "";

// Where a move in UCI notation ends, for the user: castling in Chess960 is written as the king's
// move onto its rook, and may also be made by moving the king to its own square.
function ends(move, pieces) {
  const [from, to] = [move.uci.slice(0, 2), move.uci.slice(2, 4)];
  if (!move.san.startsWith("O-O") || pieces.get(to)?.toLowerCase() !== "r") return [to];
  return [to, (move.san.startsWith("O-O-O") ? "c" : "g") + from[1]];
}

export class Board {
  // `onMove` gets a legal move that the user made, `onSquare` each square that is clicked while the
  // position is edited, `onShape` a mark or an arrow that was drawn.
  constructor(element, { onMove, onSquare, onShape }) {
    Object.assign(this, { element, onMove, onSquare, onShape, flipped: false, legal: [], chosen: null, edited: false });
    [this.squares, this.marks, this.targets, this.pieces] = [draw("g"), draw("g"), draw("g", { class: "targets" }), draw("g")];
    this.labels = draw("g", { class: "labels", "aria-hidden": "true" });
    this.shapes = draw("g", { class: "shapes" });
    element.append(this.squares, this.labels, this.marks, this.targets, this.pieces, this.shapes);
    for (let x = 0; x < 8; x += 1) {
      for (let y = 0; y < 8; y += 1) {
        const kind = (x + y) % 2 ? "dark" : "light";
        this.squares.append(draw("rect", { class: kind, x: x * SIDE, y: y * SIDE, width: SIDE, height: SIDE }));
      }
    }
    element.addEventListener("pointerdown", (event) => this.press(event));
    element.addEventListener("pointermove", (event) => this.drag(event));
    element.addEventListener("pointerup", (event) => this.release(event));
    element.addEventListener("pointercancel", () => {
      this.put();
      this.drop();
    });
    element.addEventListener("contextmenu", (event) => event.preventDefault());
    // A click elsewhere closes the choice of a promotion.
    document.addEventListener("pointerdown", (event) => {
      const choice = document.getElementById("promotion");
      if (choice && !choice.contains(event.target)) choice.remove();
    }, true);
  }

  place(square) {
    const [x, y] = [FILES.indexOf(square[0]), 8 - Number(square[1])];
    return this.flipped ? [(7 - x) * SIDE, (7 - y) * SIDE] : [x * SIDE, y * SIDE];
  }

  // The square under the pointer, and its place on the board in units of the drawing.
  under(event) {
    const box = this.element.getBoundingClientRect();
    const [x, y] = [((event.clientX - box.left) / box.width) * 8, ((event.clientY - box.top) / box.height) * 8];
    const isInside = x >= 0 && x < 8 && y >= 0 && y < 8;
    const [file, rank] = this.flipped ? [7 - Math.floor(x), Math.floor(y)] : [Math.floor(x), 7 - Math.floor(y)];
    return { square: isInside ? FILES[file] + (rank + 1) : null, x: x * SIDE, y: y * SIDE };
  }

  // Shows a position and marks its last move `uci`; with `glide` the piece of that move glides to
  // its square. `shapes` are the marks and arrows of its comment: ["Ge4", "Rd1d8"].
  show(fen, uci, glide, shapes = []) {
    this.drop();
    this.known = placement(fen);
    this.isWhite = fen.split(" ")[1] !== "b";
    const [from, to] = this.squaresOf(uci);
    this.label();
    this.marks.replaceChildren(...[from, to].filter(Boolean).map((square) => this.mark(square, "mark")));
    this.pieces.replaceChildren();
    for (const [square, letter] of this.known) {
      const [x, y] = this.place(square);
      const group = piece(letter);
      group.setAttribute("transform", `translate(${x} ${y})`);
      group.dataset.square = square;
      group.dataset.piece = letter;
      this.pieces.append(group);
      if (square === to && from && glide && !matchMedia("(prefers-reduced-motion: reduce)").matches) {
        const [a, b] = this.place(from);
        const at = (x, y) => ({ transform: `translate(${x}px, ${y}px)` });
        group.animate([at(a, b), at(x, y)], { duration: 130, easing: "ease-out" });
      }
    }
    this.shapes.replaceChildren(...shapes.map((shape) => this.shape(shape)));
    this.element.setAttribute("aria-label", inWords(this.known, fen));
  }

  // The legal moves of the position that is shown, and the king's square if it is in check.
  allow(legal, isCheck) {
    this.legal = legal;
    const king = isCheck && [...this.known].find(([, letter]) => letter === (this.isWhite ? "K" : "k"));
    if (king) this.marks.append(this.mark(king[0], "check"));
  }

  // The squares of a move: where a piece came from, if it was not dropped, and where it went. A null
  // move (0000) has none.
  squaresOf(uci) {
    if (!uci || uci[1] === "0") return [];
    return uci[1] === "@" ? [null, uci.slice(2, 4)] : [uci.slice(0, 2), uci.slice(2, 4)];
  }

  mark(square, kind) {
    const [x, y] = this.place(square);
    return draw("rect", { class: kind, x, y, width: SIDE, height: SIDE });
  }

  // A mark "Ge4" or an arrow "Rd1d8".
  shape([letter, ...rest]) {
    const text = rest.join("");
    const centre = (square) => this.place(square).map((edge) => edge + SIDE / 2);
    const [x, y] = centre(text.slice(0, 2));
    const kind = COLOURS[letter] ?? "green";
    if (text.length < 4) return draw("circle", { class: kind, cx: x, cy: y, r: SIDE / 2 - 2.5, fill: "none" });
    const [a, b] = centre(text.slice(2, 4));
    const [length, angle] = [Math.hypot(a - x, b - y) || 1, (Math.atan2(b - y, a - x) * 180) / Math.PI];
    const d = `M8 -2.5H${length - 12}V-7L${length - 1} 0L${length - 12} 7V2.5H8z`;
    return draw("path", { class: `${kind} arrow`, d, transform: `translate(${x} ${y}) rotate(${angle})` });
  }

  // Moves from a square or of a piece in hand ("P@").
  from(source) {
    return this.legal.filter((move) => move.uci.startsWith(source));
  }

  // Begins to draw a mark or an arrow: with the right button, or with a finger that rests. Green, or
  // red with Shift, blue with Alt, yellow with both.
  draw(event, square) {
    const letter = event.shiftKey || event.ctrlKey ? (event.altKey ? "Y" : "R") : event.altKey ? "B" : "G";
    this.drawn = { letter, from: square, to: square, shape: null };
    this.element.setPointerCapture?.(event.pointerId);
    this.sketch(square);
  }

  sketch(square) {
    const { letter, from, shape } = this.drawn;
    const text = letter + from + (square && square !== from ? square : "");
    const sketched = this.shape(text);
    if (shape) shape.replaceWith(sketched);
    else this.shapes.append(sketched);
    Object.assign(this.drawn, { shape: sketched, text, to: square });
  }

  // Ends drawing; returns what was drawn.
  put() {
    clearTimeout(this.rest);
    const { drawn } = this;
    this.drawn = null;
    drawn?.shape?.remove();
    return drawn?.to ? drawn.text : null;
  }

  press(event) {
    if (event.button > 2 || event.button === 1) return;
    const { square } = this.under(event);
    if (!square) return;
    if (this.edited) {
      this.onSquare(square, event.button === 2);
      event.preventDefault();
      return;
    }
    if (event.button === 2) {
      this.draw(event, square);
      return;
    }
    if (event.pointerType === "touch") {
      clearTimeout(this.rest);
      this.rest = setTimeout(() => {
        this.lay();
        this.draw(event, square);
      }, 500);
    }
    if (this.chosen && this.play(square)) {
      event.preventDefault();
      return;
    }
    const isAgain = this.chosen === square;
    this.choose(null);
    if (isAgain || !this.from(square).length) return;
    event.preventDefault();
    this.choose(square);
    this.dragged = this.pieces.querySelector(`[data-square="${square}"]`);
    this.element.setPointerCapture?.(event.pointerId);
  }

  // Lays a dragged piece back where it was.
  lay() {
    if (this.dragged) this.dragged.setAttribute("transform", `translate(${this.place(this.dragged.dataset.square)})`);
    [this.dragged, this.wasDragged] = [null, false];
    this.choose(null);
  }

  drag(event) {
    const { square, x, y } = this.under(event);
    if (this.drawn) {
      if (square !== this.drawn.to) this.sketch(square);
      return;
    }
    if (Math.hypot(event.movementX, event.movementY) > 3) clearTimeout(this.rest);
    if (!this.dragged) return;
    this.pieces.append(this.dragged);
    this.dragged.setAttribute("transform", `translate(${x - SIDE / 2} ${y - SIDE / 2})`);
    this.wasDragged = true;
  }

  release(event) {
    const shape = this.put();
    if (shape) this.onShape(shape);
    if (!this.dragged) return;
    const [dragged, { square }] = [this.dragged, this.under(event)];
    const isElsewhere = square !== this.chosen;
    this.dragged = null;
    if (this.wasDragged && isElsewhere && square && this.play(square)) return;
    const [x, y] = this.place(dragged.dataset.square);
    dragged.setAttribute("transform", `translate(${x} ${y})`);
    if (this.wasDragged && isElsewhere) this.choose(null);
    this.wasDragged = false;
  }

  drop() {
    [this.dragged, this.wasDragged, this.legal] = [null, false, []];
    this.choose(null);
    document.getElementById("promotion")?.remove();
  }

  // Chooses a piece to move, and shows where it can go.
  choose(source) {
    this.chosen = source;
    this.targets.replaceChildren();
    if (!source) return;
    if (source[1] !== "@") this.targets.append(this.mark(source, "chosen"));
    const squares = new Set(this.from(source).flatMap((move) => ends(move, this.known)));
    for (const square of squares) {
      const [x, y] = this.place(square);
      const isTaken = this.known.has(square);
      this.targets.append(draw("circle", { class: isTaken ? "take" : "target", cx: x + SIDE / 2, cy: y + SIDE / 2, r: isTaken ? 18 : 6 }));
    }
  }

  // Plays the chosen piece to a square, if that is legal.
  play(square) {
    const found = this.from(this.chosen).filter((move) => ends(move, this.known).includes(square));
    if (!found.length) return false;
    const promotions = found.filter((move) => move.uci.length > 4);
    this.choose(null);
    if (promotions.length > 1) this.ask(promotions);
    else this.onMove(found[0]);
    return true;
  }

  // Asks what a pawn becomes.
  ask(moves) {
    const choice = (move) => pieceButton(this.isWhite ? move.uci[4].toUpperCase() : move.uci[4], () => {
      dialog.remove();
      this.onMove(move);
    });
    const order = (move) => "qrbnk".indexOf(move.uci[4]);
    const buttons = [...moves].sort((a, b) => order(a) - order(b)).map(choice);
    const keydown = (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      dialog.remove();
    };
    const dialog = make("div", { id: "promotion", role: "dialog", "aria-label": "Promote to", keydown }, ...buttons);
    this.element.parentElement.append(dialog);
    buttons[0].focus();
  }

  label() {
    this.labels.replaceChildren();
    for (let i = 0; i < 8; i += 1) {
      const file = FILES[this.flipped ? 7 - i : i];
      const rank = this.flipped ? i + 1 : 8 - i;
      const kinds = [i % 2 ? "on-light" : "on-dark", i % 2 ? "on-dark" : "on-light"];
      this.labels.append(
        draw("text", { class: kinds[0], x: i * SIDE + SIDE - 2.5, y: 8 * SIDE - 2.5, "text-anchor": "end" }, file),
        draw("text", { class: kinds[1], x: 2.5, y: i * SIDE + 8.5 }, String(rank)),
      );
    }
  }
}

function inWords(known, fen) {
  const side = (isWhite) => {
    const words = [];
    for (const letter of "kqrbnp") {
      const wanted = isWhite ? letter.toUpperCase() : letter;
      const squares = [...known].filter((pair) => pair[1] === wanted).map((pair) => pair[0]);
      if (squares.length) words.push(`${NAMES[letter]} ${squares.sort().join(" ")}`);
    }
    return words.join(", ") || "nothing";
  };
  const turn = fen.split(" ")[1] === "b" ? "Black" : "White";
  return `White: ${side(true)}. Black: ${side(false)}. ${turn} to move.`;
}
