// The search form: its fields, suggestions of names while the user types, and its parameters.

import { ask, byId, latest, make, number } from "./common.js";

// Name of the parameter, label, placeholder or choices, and for names the field to suggest from.
const FIELDS = [
  ["player", "Player", "carlsen magnus", "player"],
  ["vs", "Opponent", "anand", "player"],
  ["event", "Event", "candidates", "event"],
  ["date", "Date", "1985..1995"],
  ["result", "Result", [["", "any"], ["1-0", "1-0"], ["0-1", "0-1"], ["1/2-1/2", "\u00bd-\u00bd"], ["*", "unknown"]]],
  ["eco", "ECO", "B33 or B30..B39"],
];

const MORE = [
  ["white", "White", "tal", "player"],
  ["black", "Black", "fischer", "player"],
  ["elo", "Elo of each", "2600.."],
  ["moves", "First moves", "1.e4 c5 2.Nf3"],
  ["fen", "Position (FEN)", "8/8/8/4k3/8/4K3/4P3/8 w"],
  ["pattern", "Pieces on squares", "Pa4 pb5 Kg1"],
  ["material", "Material", "KRP KR"],
  ["opening", "Opening reached", "sicilian najdorf"],
  ["variant", "Rules", "chess960"],
  ["query", "As for pgc find", "--site london --not-event blitz"],
];

export class SearchForm {
  constructor(onSearch) {
    this.inputs = new Map();
    this.form = byId("form");
    byId("fields").append(...FIELDS.map((field) => this.field(field)));
    byId("more-fields").append(...MORE.map((field) => this.field(field)));
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      onSearch();
    });
    this.form.addEventListener("reset", () => setTimeout(onSearch));
    this.onSearch = onSearch;
  }

  field([name, label, hint, names]) {
    const id = `field-${name}`;
    let input;
    if (Array.isArray(hint)) {
      input = make("select", { id, name }, hint.map(([value, text]) => make("option", { value }, text)));
      input.addEventListener("change", () => this.onSearch());
    } else {
      input = make("input", { id, name, type: "text", placeholder: hint, spellcheck: "false", autocapitalize: "off" });
    }
    this.inputs.set(name, input);
    const wrapper = make("div", { class: "field" }, make("label", { for: id }, label), input);
    if (names) new Suggestions(input, wrapper, names, () => this.onSearch());
    return wrapper;
  }

  // The parameters of the fields that are filled in.
  get parameters() {
    const filled = [...this.inputs].map(([name, input]) => [name, input.value.trim()]);
    return filled.filter((pair) => pair[1]);
  }

  set parameters(pairs) {
    const given = new Map(pairs);
    for (const [name, input] of this.inputs) input.value = given.get(name) ?? "";
    if (MORE.some((field) => given.has(field[0]))) byId("more").open = true;
  }

  has(name) {
    return this.inputs.has(name);
  }

  focus() {
    this.inputs.get("player").focus();
    this.inputs.get("player").select();
  }
}

// Suggests names that match the text of an input (an ARIA combobox with a list).
export class Suggestions {
  constructor(input, wrapper, field, onChoice) {
    Object.assign(this, { input, field, onChoice });
    this.next = latest();
    this.active = -1;
    this.list = make("ul", { class: "suggestions", role: "listbox", id: `${input.id}-names`, hidden: true, "aria-label": "Names" });
    wrapper.classList.add("with-names");
    wrapper.append(this.list);
    for (const [name, value] of [["role", "combobox"], ["aria-autocomplete", "list"], ["aria-expanded", "false"],
      ["aria-controls", this.list.id], ["autocomplete", "off"]]) input.setAttribute(name, value);
    input.addEventListener("input", () => this.ask());
    input.addEventListener("keydown", (event) => this.key(event));
    input.addEventListener("blur", () => this.close());
    // Before the input loses the focus.
    this.list.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      const item = event.target.closest("li");
      if (item) this.choose(item.dataset.name);
    });
  }

  async ask() {
    const signal = this.next();
    const text = this.input.value.trim();
    if (text.length < 2 || /[*=]/.test(text)) return this.close();
    await new Promise((resolve) => setTimeout(resolve, 90));
    if (signal.aborted) return;
    try {
      const { names } = await ask("names", [["field", this.field], ["text", text], ["limit", "9"]], signal);
      this.show(names);
    } catch {
      this.close();
    }
  }

  show(names) {
    this.active = -1;
    this.list.replaceChildren(...names.map(({ name, games }, at) =>
      make("li", { role: "option", id: `${this.list.id}-${at}`, "data-name": name, "aria-selected": "false" },
        make("span", {}, name), make("span", { class: "games-of" }, number(games)))));
    const isOpen = names.length > 0 && document.activeElement === this.input;
    this.list.hidden = !isOpen;
    this.input.setAttribute("aria-expanded", String(isOpen));
  }

  close() {
    this.next();
    this.list.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }

  choose(name) {
    this.input.value = name;
    this.close();
    this.onChoice(name);
  }

  key(event) {
    if (this.list.hidden) {
      // Names that the server is still asked for must not cover the results.
      if (event.key === "Enter") this.close();
      return;
    }
    const items = [...this.list.children];
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const step = event.key === "ArrowDown" ? 1 : -1;
      items[this.active]?.setAttribute("aria-selected", "false");
      this.active = (this.active + step + items.length + (this.active < 0 && step < 0 ? 1 : 0)) % items.length;
      items[this.active].setAttribute("aria-selected", "true");
      this.input.setAttribute("aria-activedescendant", items[this.active].id);
    } else if (event.key === "Enter" && this.active >= 0) this.choose(items[this.active].dataset.name);
    else if (event.key === "Escape") this.close();
    else if (event.key === "Enter") {
      this.close();
      return;
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
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
