// The board: shows a position, and describes it in words for screen readers.

import { draw } from "./common.js";
import { NAMES, PIECES } from "./pieces.js";

const SIDE = 40;
const FILES = "abcdefgh";

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

function piece(letter) {
  const shape = PIECES[letter.toLowerCase()];
  const group = draw("g", { class: `piece ${letter === letter.toUpperCase() ? "white" : "black"}` });
  for (const d of shape?.outline ?? []) group.append(draw("path", { d, class: "outline" }));
  for (const d of shape?.lines ?? []) group.append(draw("path", { d, class: "line" }));
  for (const [cx, cy, r] of shape?.dots ?? []) group.append(draw("circle", { cx, cy, r, class: "dot" }));
  return group;
}

export class Board {
  constructor(element) {
    this.element = element;
    this.flipped = false;
    this.squares = draw("g");
    this.marks = draw("g");
    this.labels = draw("g", { class: "labels", "aria-hidden": "true" });
    this.pieces = draw("g");
    element.append(this.squares, this.labels, this.marks, this.pieces);
    for (let x = 0; x < 8; x += 1) {
      for (let y = 0; y < 8; y += 1) {
        const kind = (x + y) % 2 ? "dark" : "light";
        this.squares.append(draw("rect", { class: kind, x: x * SIDE, y: y * SIDE, width: SIDE, height: SIDE }));
      }
    }
  }

  place(square) {
    const [x, y] = [FILES.indexOf(square[0]), 8 - Number(square[1])];
    return this.flipped ? [(7 - x) * SIDE, (7 - y) * SIDE] : [x * SIDE, y * SIDE];
  }

  // Shows a position and marks its last move `uci`; with `glide` the piece of that move glides to
  // its square.
  show(fen, uci, glide) {
    const known = placement(fen);
    const [from, to] = uci && !"@0".includes(uci[1]) ? [uci.slice(0, 2), uci.slice(2, 4)] : [];
    this.label();
    this.marks.replaceChildren();
    for (const square of [from, to]) {
      if (!square) continue;
      const [x, y] = this.place(square);
      this.marks.append(draw("rect", { class: "mark", x, y, width: SIDE, height: SIDE }));
    }
    this.pieces.replaceChildren();
    for (const [square, letter] of known) {
      const [x, y] = this.place(square);
      const group = piece(letter);
      group.setAttribute("transform", `translate(${x} ${y})`);
      group.dataset.square = square;
      group.dataset.piece = letter;
      this.pieces.append(group);
      if (square === to && glide && !matchMedia("(prefers-reduced-motion: reduce)").matches) {
        const [a, b] = this.place(from);
        const at = (x, y) => ({ transform: `translate(${x}px, ${y}px)` });
        group.animate([at(a, b), at(x, y)], { duration: 130, easing: "ease-out" });
      }
    }
    this.element.setAttribute("aria-label", inWords(known, fen));
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
