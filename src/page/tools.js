// What can be taken away from the page, and what can be brought to it.

import { byId, copyButton, make, number, saveFile } from "./common.js";
import { pasteField } from "./edit.js";

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

const part = (title, ...children) => make("section", { class: "tool" }, make("h2", {}, title), ...children);

// Fills the panel. `given` has functions that return the FEN and PGN of what is shown.
export function buildTools(element, { fen, pgn, edit, onPosition, onGame }) {
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
  element.append(
    part("This position", shown, make("p", { class: "choices" },
      copyButton("Copy FEN", fen),
      copyButton("Copy link", () => location.href),
      make("button", { type: "button", class: "quiet small", click: () => saveFile("board.svg", "image/svg+xml", picture(byId("board"))) }, "Save as a picture"),
      make("button", { type: "button", class: "small", click: edit }, "Set up a position"))),
    part("This game", make("p", { class: "choices" },
      copyButton("Copy PGN", pgn, none),
      make("button", { type: "button", class: "quiet small", click: save }, "Save PGN"), noGame)),
    part("Another position or game", pasteField(onPosition, onGame)));
}

// Links that save the games of a search.
export function saveLinks(element, asked, total) {
  const link = (format, label) => {
    const parameters = new URLSearchParams([...asked, ["format", format]]);
    return make("a", { href: `api/save?${parameters}`, download: `games.${format}` }, label);
  };
  element.replaceChildren(...(total
    ? [make("p", {}, `The ${number(total)} found, as `), link("pgn", "PGN"), link("pgc", "archive"), link("csv", "CSV")]
    : [make("p", {}, "There are no games to save.")]));
}
