// The evaluations and the clocks of a game over its moves.

import { draw, make } from "./common.js";
import { chance, clockText, evalText, timeText } from "./facts.js";

const HEIGHT = 84;
const BOTTOM = 14;

// One plot: the evaluation as an area, the clocks of both players as lines, the moves below. A click
// goes to the move.
export class Chart {
  constructor(element, go) {
    Object.assign(this, { element, go });
    new ResizeObserver(() => {
      const isOther = !element.hidden && element.clientWidth !== this.width;
      if (!isOther || !this.model) return;
      this.show(this.model);
      if (this.node) this.mark(this.node);
    }).observe(element);
  }

  show(model) {
    this.model = model;
    this.element.hidden = false;
    this.width = this.element.clientWidth || 360;
    const last = Math.max(1, model.main.length - 1);
    this.x = (at) => 4 + ((this.width - 8) * at) / last;
    const evaluations = this.evaluations();
    const clocks = [0, 1].map((side) => this.clock(side));
    this.element.hidden = !evaluations && !clocks.some(Boolean);
    if (this.element.hidden) return;
    this.cursor = draw("line", { class: "cursor", y1: 0, y2: HEIGHT });
    const click = (event) => {
      const box = plot.getBoundingClientRect();
      const at = Math.round(((event.clientX - box.left - 4) / (box.width - 8)) * last);
      this.go(model.main[Math.min(last, Math.max(0, at))]);
    };
    const drag = (event) => {
      if (event.buttons) click(event);
    };
    const kinds = [evaluations && "evaluations", clocks.some(Boolean) && "clocks"].filter(Boolean).join(" and ");
    const plot = draw("svg", { viewBox: `0 0 ${this.width} ${HEIGHT + BOTTOM}`, role: "img",
      pointerdown: click, pointermove: drag, "aria-label": `The ${kinds} of the game; the arrow keys step through it` },
      ...(evaluations ?? []), ...clocks.filter(Boolean), ...this.axis(last), this.cursor);
    this.label = make("span", { class: "eval" });
    const legend = [];
    if (evaluations) legend.push(make("span", { class: "key-eval" }, "evaluation"));
    if (clocks[0]) legend.push(make("span", { class: "key-white" }, "White's clock"));
    if (clocks[1]) legend.push(make("span", { class: "key-black" }, "Black's clock"));
    this.element.replaceChildren(plot, make("p", { class: "legend" }, ...legend, this.label));
  }

  evaluations() {
    const known = this.model.main.map((node) => chance(node.move));
    const points = [];
    known.forEach((each, at) => {
      if (each !== null) points.push([this.x(at), (HEIGHT / 2) * (1 - each)]);
    });
    if (points.length < 2) return null;
    const path = points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L");
    const [first, last] = [points[0][0].toFixed(1), points[points.length - 1][0].toFixed(1)];
    const errors = this.model.main.flatMap((node, at) => (node.judgement && known[at] !== null
      ? [draw("circle", { class: `error nag-${node.judgement.nag}`, cx: this.x(at), cy: (HEIGHT / 2) * (1 - known[at]), r: 3 })]
      : []));
    return [
      draw("path", { class: "area", d: `M${first} ${HEIGHT}L${path}L${last} ${HEIGHT}z` }),
      draw("line", { class: "axis", x1: 0, x2: this.width, y1: HEIGHT / 2, y2: HEIGHT / 2 }),
      draw("path", { class: "curve-line", d: `M${path}` }),
      ...errors,
    ];
  }

  // The clock of one player, as a share of the most time that either had.
  clock(side) {
    const { main } = this.model;
    const most = Math.max(...main.map((node) => node.move?.clock ?? 0));
    const points = main.flatMap((node, at) => (node.move?.clock !== undefined && node.num % 2 === side
      ? [`${this.x(at).toFixed(1)} ${(2 + (HEIGHT - 2) * (1 - node.move.clock / (most || 1))).toFixed(1)}`]
      : []));
    return points.length < 2 ? null : draw("path", { class: `clock-line ${side ? "black" : "white"}`, d: `M${points.join("L")}` });
  }

  // Every tenth move, or fewer in a long game.
  axis(last) {
    const first = this.model.root.num;
    const every = Math.ceil(last / 2 / 8 / 5) * 5;
    const ticks = [];
    for (let at = 1; at <= last; at += 1) {
      const move = Math.floor((first + at) / 2);
      if ((first + at) % 2 || move % every) continue;
      ticks.push(draw("line", { class: "tick", x1: this.x(at), x2: this.x(at), y1: HEIGHT, y2: HEIGHT + 3 }),
        draw("text", { class: "tick", x: this.x(at), y: HEIGHT + BOTTOM - 1, "text-anchor": "middle" }, String(move)));
    }
    return ticks;
  }

  mark(node) {
    this.node = node;
    if (this.element.hidden) return;
    const at = this.model.main.indexOf(node);
    this.cursor.style.display = at < 0 ? "none" : "";
    this.cursor.setAttribute("x1", this.x(at));
    this.cursor.setAttribute("x2", this.x(at));
    const { move } = node;
    const words = [evalText(move), move?.depth && `depth ${move.depth}`, timeText(node.spent), clockText(move?.clock)];
    this.label.textContent = words.filter(Boolean).join(" \u00b7 ");
  }
}
