// What can be taken away from the page, and what can be brought to it. Loaded when somebody looks at
// it.

import { ask, byId, copyButton, make, saveFile, send } from "./common.js";
import { placement } from "./board.js";

// The board as a picture: the drawing with its colours written into it.
function picture(board) {
  const drawn = board.cloneNode(true);
  const shown = [...board.querySelectorAll("*")];
  [...drawn.querySelectorAll("*")].forEach((element, at) => {
    const style = getComputedStyle(shown[at]);
    for (const name of ["fill", "stroke", "stroke-width", "stroke-linejoin", "stroke-linecap", "opacity", "font-size", "font-weight"]) {
      const value = style.getPropertyValue(name);
      if (value && element.tagName !== "g") element.setAttribute(name, value.replace("px", ""));
    }
    element.removeAttribute("class");
  });
  drawn.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  drawn.setAttribute("width", "640");
  drawn.setAttribute("height", "640");
  drawn.removeAttribute("id");
  return new XMLSerializer().serializeToString(drawn);
}

// The rules that the fields of a FEN show, for one that comes without its Variant tag.
function rulesOf(fen) {
  const [board, , castling = "-", ...rest] = fen.trim().split(/\s+/);
  if (board.includes("[") || board.split("/").length > 8) return "Crazyhouse";
  if (rest.some((field) => /\d\+\d/.test(field))) return "Three-check";
  const homes = { K: ["e1", "h1"], Q: ["e1", "a1"], k: ["e8", "h8"], q: ["e8", "a8"] };
  const pieces = placement(board);
  const isUsual = (right) => homes[right]?.every((square) => /[kr]/i.test(pieces.get(square) ?? ""));
  return castling === "-" || [...castling].every(isUsual) ? "" : "Chess960";
}

const isFen = (text) => text.split(/\s+/)[0].split("/").length >= 8;

// The field into which a FEN or a game is pasted. `onPosition` and `onGame` get what the server read.
function pasteField(onPosition, onGame) {
  const said = make("p", { class: "failed", role: "status" });
  const area = make("textarea", { rows: "4", "aria-label": "FEN or PGN", placeholder: "Paste a FEN, or games in PGN", spellcheck: "false" });
  const load = async () => {
    const text = area.value.trim();
    said.textContent = "";
    if (!text) return;
    try {
      if (isFen(text)) onPosition(await ask("position", { fen: text, variant: rulesOf(text) }), rulesOf(text));
      else onGame(await send("paste", {}, text));
      area.value = "";
    } catch (error) {
      said.textContent = error.message;
    }
  };
  return make("div", { class: "paste" }, area, make("p", {}, make("button", { type: "button", class: "small", click: load }, "Show")), said);
}

const part = (title, ...children) => make("section", { class: "tool" }, make("h2", {}, title), ...children);

// Fills the panel. `fen` and `pgn` return those of what is shown, `add` adds the game to `archive`.
export function buildTools(element, { fen, pgn, archive, add, edit, onPosition, onGame }) {
  const shown = make("code", { class: "fen" });
  const refresh = () => { shown.textContent = fen(); };
  new MutationObserver(refresh).observe(document.documentElement, { attributes: true, attributeFilter: ["data-board"] });
  refresh();
  const none = "There is no game, and no move.";
  const noGame = make("span", { role: "status", class: "copied" });
  const save = () => {
    noGame.textContent = pgn() ? "" : none;
    if (pgn()) saveFile("game.pgn", "application/x-chess-pgn", pgn());
  };
  const keep = async () => noGame.replaceChildren(...(pgn() ? ["saved as ", await add()] : [none]));
  element.append(
    part("This position", shown, make("p", { class: "choices" },
      copyButton("Copy FEN", fen),
      copyButton("Copy link", () => location.href),
      make("button", { type: "button", class: "quiet small", click: () => saveFile("board.svg", "image/svg+xml", picture(byId("board"))) }, "Save as a picture"),
      make("button", { type: "button", class: "small", click: edit }, "Set up a position"))),
    part("This game", make("p", { class: "choices" },
      copyButton("Copy PGN", pgn, none),
      make("button", { type: "button", class: "quiet small", click: save }, "Save PGN"),
      archive && make("button", { type: "button", class: "quiet small", click: keep }, `Add to ${archive}`), noGame)),
    part("Another position or game", pasteField(onPosition, onGame)));
}
