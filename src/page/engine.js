// The engine that the server was started with: an evaluation bar and the best lines of the position
// on the board. Loaded if there is one.

import { ask, byId, make } from "./common.js";
import { chance, evalText } from "./facts.js";

// How often the server is asked what the engine has found, in ms. The server stops the engine when
// nobody asks for some seconds.
const OFTEN = 400;

export class EnginePanel {
  constructor(name, play) {
    Object.assign(this, { name, play, isOn: false, fen: null });
    [this.element, this.bar] = [byId("engine"), byId("bar")];
    this.button = byId("engine-button");
    this.button.addEventListener("click", () => this.turn());
    this.told = make("p", { class: "told" });
    this.lines = make("ol", { class: "lines" });
    this.element.append(this.told, this.lines);
    this.button.hidden = false;
  }

  turn() {
    this.isOn = !this.isOn;
    this.button.setAttribute("aria-pressed", String(this.isOn));
    this.bar.hidden = !this.isOn;
    this.element.hidden = !this.isOn;
    this.lines.replaceChildren();
    this.told.textContent = "";
    this.step();
  }

  show(fen, variant) {
    Object.assign(this, { fen, variant });
    this.lines.replaceChildren();
    this.step();
  }

  async step() {
    clearTimeout(this.timer);
    if (!this.isOn || !this.name || !this.fen || document.hidden) {
      if (this.isOn) this.timer = setTimeout(() => this.step(), 1000);
      return;
    }
    const asked = this.fen;
    try {
      const found = await ask("engine", { fen: asked, variant: this.variant ?? "" });
      if (asked === this.fen && this.isOn) this.paint(found);
    } catch (error) {
      this.told.textContent = error.message;
    }
    if (asked === this.fen) this.timer = setTimeout(() => this.step(), OFTEN);
  }

  paint({ name, depth, lines }) {
    this.told.textContent = depth ? `${name}, depth ${depth}` : `${name}\u2026`;
    const best = lines[0];
    if (best) byId("bar-white").style.height = `${50 * (1 + chance(best))}%`;
    this.lines.replaceChildren(...lines.map((line) => make("li", {},
      make("b", {}, evalText(line)), " ",
      ...line.moves.slice(0, 1).map((move) => make("button", { type: "button", class: "move", click: () => this.play(move) }, move.san)),
      ` ${line.moves.slice(1, 10).map((move) => move.san).join(" ")}`)));
  }
}
