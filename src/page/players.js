// The lines of the players above and below the board: name, rating, clock, pieces in hand.

import { eloText, known, make } from "./common.js";
import { pocket } from "./board.js";
import { clocks, clockText, timeText } from "./facts.js";
import { pieceButton } from "./pieces.js";

// The number of checks that each side may still give, in Three-check: "3+3" or "+0+0" in the FEN.
function checksLeft(fen, isWhite) {
  const left = /\s(\d)\+(\d)(\s|$)/.exec(fen ?? "");
  if (left) return left[isWhite ? 1 : 2];
  const given = /\s\+(\d)\+(\d)(\s|$)/.exec(fen ?? "");
  return given ? String(3 - Number(given[isWhite ? 1 : 2])) : null;
}

// `onPocket` is called with a piece in hand that the user wants to drop.
export function playerLine(element, model, isWhite, node, { showStats, onPocket }) {
  const [name, elo, titled] = isWhite ? ["White", "WhiteElo", "WhiteTitle"] : ["Black", "BlackElo", "BlackTitle"];
  const player = model.tag(name);
  const clock = clocks(node)[isWhite ? 0 : 1];
  const turn = node.fen?.split(" ")[1] === (isWhite ? "w" : "b");
  const hasMoved = node.move && (node.num % 2 === 0) === isWhite;
  element.classList.toggle("to-move", turn);
  const label = known(player)
    ? make("button", { type: "button", class: "name", click: () => showStats(player), title: `What ${player} scored` }, player)
    : make("span", { class: "name" }, name);
  const held = [...pocket(node.fen ?? "")].filter((letter) => (letter === letter.toUpperCase()) === isWhite);
  const kinds = [...new Set(held)].map((letter) => pieceButton(letter, () => turn && onPocket(letter), held.filter((each) => each === letter).length));
  const checks = checksLeft(node.fen, isWhite);
  element.replaceChildren(
    make("span", { class: `disc ${isWhite ? "white" : "black"}`, "aria-hidden": "true" }),
    ...(model.tag(titled) ? [make("span", { class: "person-title" }, model.tag(titled))] : []),
    label,
    make("span", { class: "elo" }, eloText(model.tag(elo))),
    ...(kinds.length ? [make("span", { class: "pocket" }, ...kinds)] : []),
    ...(checks === null ? [] : [make("span", { class: "checks" }, `${checks} checks left`)]),
    make("span", { class: "spent" }, hasMoved && node.spent !== undefined ? timeText(node.spent) : ""),
    make("span", { class: "clock" }, clockText(clock)));
}
