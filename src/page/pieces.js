// The pieces, drawn in a square of 40: outlines, then lines, then dots.

import { draw, make } from "./common.js";

const BASE = "M11.6 28c5.4-1.5 11.4-1.5 16.8 0M10.9 31.6c6-1.4 12.2-1.4 18.2 0";

const PIECES = {
  p: {
    outline: ["M20 9a4.8 4.8 0 0 1 3.3 8.3c2 1 3.2 2.4 3.2 4.1h-3c.3 4.2 1.9 6.7 5 8.9V35H11.5v-4.7c3.1-2.2 4.7-4.7 5-8.9h-3c0-1.7 1.2-3.1 3.2-4.1A4.8 4.8 0 0 1 20 9z"],
    lines: ["M12 30.7h16"],
  },
  r: {
    outline: ["M10.5 8.5h4.4v2.7h2.9V8.5h4.4v2.7h2.9V8.5h4.4v7l-3 2.6v9.7l3 3.2v4h-19v-4l3-3.2v-9.7l-3-2.6z"],
    lines: ["M13.5 18.1h13", "M13.5 27.8h13", "M10.9 31.4h18.2"],
  },
  b: {
    outline: [
      "M20 9.5c4.5 3.3 6.9 6.8 6.9 10.3 0 2.5-1.1 4.5-3 5.9l1 4.3c2.4.2 4 .9 4.6 2.2V35h-19v-2.8c.6-1.3 2.2-2 4.6-2.2l1-4.3c-1.9-1.4-3-3.4-3-5.9 0-3.5 2.4-7 6.9-10.3z",
      "M20 5.2a2.15 2.15 0 1 1 0 4.3a2.15 2.15 0 1 1 0-4.3z",
    ],
    lines: ["M20 14.8v6.4M17 17.6h6", "M16.2 25.7h7.6", "M15.2 30h9.6"],
  },
  n: {
    outline: ["M12.3 35c-.3-6 2.3-9 6.3-13-2.3.5-4.2 1.7-5.9 3.5-1.7 1.7-4.8.8-5-1.7-.1-1.7 2.4-4.5 3.4-7 1-2.6.9-4.3 2.4-6.3L13 6l4.8 2.3C25.6 8.3 31 14.5 31 23.5c0 4.3-.4 8-.8 11.5z"],
    lines: ["M22.4 11.3c3.9 2.8 5.7 7.4 5.6 13.2"],
    dots: [[15.7, 14.2, 1.15]],
  },
  q: {
    outline: [
      "M7.6 14.4 11.6 28l-1.3 7h19.4l-1.3-7 4-13.6-5.4 7.4-.9-10.6L20 20.7l-6.1-9.5-.9 10.6z",
      "M6.9 10.7a1.9 1.9 0 1 1 0 3.8a1.9 1.9 0 1 1 0-3.8z",
      "M13.6 7.5a1.9 1.9 0 1 1 0 3.8a1.9 1.9 0 1 1 0-3.8z",
      "M26.4 7.5a1.9 1.9 0 1 1 0 3.8a1.9 1.9 0 1 1 0-3.8z",
      "M33.1 10.7a1.9 1.9 0 1 1 0 3.8a1.9 1.9 0 1 1 0-3.8z",
    ],
    lines: [BASE],
  },
  k: {
    outline: [
      "M20 4.3v6.9M17.2 6.8h5.6",
      "M20 11.2c-2.3 0-3 2.3 0 7 3-4.7 2.3-7 0-7z",
      "M20 18.2c.9-4 3.7-5.9 6.9-5.9 3.8 0 6 2.7 6 5.7 0 4.2-3.3 6.6-4.5 10l1.3 7H10.3l1.3-7c-1.2-3.4-4.5-5.8-4.5-10 0-3 2.2-5.7 6-5.7 3.2 0 6 1.9 6.9 5.9z",
    ],
    lines: ["M20 18.2v8.6", BASE],
  },
};

export const NAMES = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };

export function piece(letter) {
  const shape = PIECES[letter.toLowerCase()];
  const group = draw("g", { class: `piece ${letter === letter.toUpperCase() ? "white" : "black"}` });
  for (const d of shape?.outline ?? []) group.append(draw("path", { d, class: "outline" }));
  for (const d of shape?.lines ?? []) group.append(draw("path", { d, class: "line" }));
  for (const [cx, cy, r] of shape?.dots ?? []) group.append(draw("circle", { cx, cy, r, class: "dot" }));
  return group;
}

// A button that shows a piece.
export function pieceButton(letter, click, count = 1) {
  const colour = letter === letter.toUpperCase() ? "White" : "Black";
  return make("button", { type: "button", class: "quiet piece-button", "data-piece": letter, click,
    "aria-label": `${colour} ${NAMES[letter.toLowerCase()]}${count > 1 ? `, ${count}` : ""}` },
    draw("svg", { viewBox: "0 0 40 40", "aria-hidden": "true" }, piece(letter)), count > 1 ? String(count) : "");
}
