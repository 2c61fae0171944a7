// The widths of the list and of the panel, which the user can change and which are remembered, and
// menus that close when one looks elsewhere.

import { byId, kept } from "./common.js";

// The least widths in pixels: of the list, the board, the panel.
const LEAST = [260, 320, 280];
const STEP = 2;

// Widths are hundredths of the window, so that they fit another window too.
class Dividers {
  constructor() {
    this.main = document.querySelector("main");
    this.dividers = [["divide-list", "list", 1], ["divide-study", "study", -1]].map(([id, name, sign]) => ({ element: byId(id), name, sign }));
    try {
      this.widths = JSON.parse(kept.get("widths") ?? "null");
    } catch {
      this.widths = null;
    }
    for (const divider of this.dividers) this.listen(divider);
    this.apply();
    addEventListener("resize", () => this.apply());
  }

  get shown() {
    return { list: (100 * this.width(".search")) / innerWidth, study: (100 * this.width(".study")) / innerWidth };
  }

  width(selector) {
    return document.querySelector(selector).getBoundingClientRect().width;
  }

  listen({ element, name, sign }) {
    const move = (by) => this.set(name, this.shown[name] + sign * by);
    element.addEventListener("pointerdown", (event) => {
      element.setPointerCapture(event.pointerId);
      event.preventDefault();
      element.focus();
      this.dragged = { x: event.clientX, width: this.shown[name] };
    });
    element.addEventListener("pointermove", (event) => {
      if (this.dragged) this.set(name, this.dragged.width + (sign * 100 * (event.clientX - this.dragged.x)) / innerWidth);
    });
    for (const end of ["pointerup", "pointercancel"]) element.addEventListener(end, () => { this.dragged = null; });
    element.addEventListener("dblclick", () => this.forget());
    element.addEventListener("keydown", (event) => {
      const actions = { ArrowLeft: () => move(-STEP), ArrowRight: () => move(STEP), Home: () => move(-100), End: () => move(100), Enter: () => this.forget() };
      if (!actions[event.key]) return;
      actions[event.key]();
      event.preventDefault();
      event.stopPropagation();
    });
  }

  // As wide as it may be: the others keep their least widths.
  set(name, width) {
    const widths = { ...this.shown };
    const other = name === "list" ? "study" : "list";
    const part = (pixels) => (100 * pixels) / innerWidth;
    const most = 100 - widths[other] - part(LEAST[1] + 70);
    widths[name] = Math.min(most, Math.max(part(name === "list" ? LEAST[0] : LEAST[2]), width));
    this.widths = widths;
    kept.set("widths", JSON.stringify(widths));
    this.apply();
  }

  forget() {
    this.widths = null;
    kept.set("widths", "null");
    this.apply();
  }

  apply() {
    const { widths } = this;
    // In a window that is much smaller the list and the panel share what the board leaves.
    const room = innerWidth - LEAST[1] - 70;
    const all = widths ? ((widths.list + widths.study) * innerWidth) / 100 : 0;
    const scale = Math.min(1, room / (all || 1));
    this.main.classList.toggle("divided", Boolean(widths));
    if (widths) for (const name of ["list", "study"]) this.main.style.setProperty(`--${name}`, `${widths[name] * scale}vw`);
    for (const { element, name } of this.dividers) element.setAttribute("aria-valuenow", Math.round(this.shown[name]));
  }
}

// Menus close at a click elsewhere, and at Escape.
function listenToMenus() {
  const menus = [...document.querySelectorAll(".over-games details")];
  document.addEventListener("pointerdown", (event) => {
    for (const menu of menus) if (!menu.contains(event.target)) menu.open = false;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const menu of menus) menu.open = false;
    byId("help").hidden = true;
    byId("help-button").setAttribute("aria-expanded", "false");
    byId("trouble").hidden = true;
  });
  byId("trouble").addEventListener("click", () => { byId("trouble").hidden = true; });
}

// Puts the chart below the board, or on a phone behind the moves, where it scrolls with them.
function placeChart(moves) {
  const phone = matchMedia("(max-width: 780px), (max-width: 1100px) and (orientation: portrait)");
  const place = () => {
    moves.footer = phone.matches ? byId("curve") : null;
    (phone.matches ? moves.element : document.querySelector(".stage")).append(byId("curve"));
  };
  phone.addEventListener("change", place);
  place();
}

export function layOut(moves) {
  listenToMenus();
  placeChart(moves);
  return new Dividers();
}
