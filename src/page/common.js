// Functions for all parts of the page. Text from archives only ever becomes text nodes.

const SVG = "http://www.w3.org/2000/svg";

export const byId = (id) => document.getElementById(id);

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

// An element with attributes, listeners (functions) and children.
export const make = (tag, attributes = {}, ...children) =>
  fill(document.createElement(tag), attributes, children);

export const draw = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS(SVG, tag), attributes, children);

// The server's answer to a question.
export const ask = (question, parameters, signal) => request(`api/${question}?${new URLSearchParams(parameters)}`, { signal });

async function request(address, options) {
  let response;
  try {
    response = await fetch(address, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The server does not answer. Is pgc serve still running?");
  }
  const answer = await response.json().catch(() => ({ error: `The server answers ${response.status}.` }));
  noteEdition(answer.edition);
  if (!response.ok) throw new Error(answer.error);
  return answer;
}

let edition;
const listeners = [];

// Calls the listener each time an archive has changed on the disk.
export const onNewEdition = (listener) => listeners.push(listener);

function noteEdition(number) {
  if (number === undefined || number === edition) return;
  const isFirst = edition === undefined;
  edition = number;
  if (!isFirst) for (const listener of listeners) listener();
}

// Sends a text to the server, and returns its answer.
export const send = (question, parameters, body) => request(`api/${question}?${new URLSearchParams(parameters)}`, { method: "POST", body });

export const number = (value) => Number(value).toLocaleString("en");

export const count = (value, one, many) => `${number(value)} ${value === 1 ? one : many}`;

export const percent = (part) => (part === null || part === undefined ? "" : `${part === 1 || part === 0 ? 100 * part : (100 * part).toFixed(1)} %`);

// A value of a tag, if it says something; and results, dates and ratings without what they do not say.
export const known = (value) => (value && !/^[?.-]+$/.test(value) ? value : "");
export const resultText = (result) => (result ?? "").replaceAll("1/2-1/2", "\u00bd-\u00bd");
export const dateText = (date) => known((date ?? "").replace(/(\.\?\?)+$/, ""));
export const eloText = (elo) => (/^[1-9]\d*$/.test(elo) ? String(elo) : "");

// The players of a game, or another name of it if nobody knows them.
export const playersText = (white, black, other) => (known(white) || known(black)
  ? `${known(white) || "unknown"} \u2013 ${known(black) || "unknown"}` : other);

// The content of a <details> with notes: the first takes one line until one opens it.
export const noteLines = ([first, ...others]) => [
  make("summary", { title: [first, ...others].join("\n") }, first, others.length ? ` (and ${others.length} more)` : ""),
  ...others.map((note) => make("p", {}, note))];

// Won, drawn and lost games as one bar, with percentages where there is room.
export function scoreBar(wins, draws, losses) {
  const all = wins + draws + losses;
  const bar = make("span", { class: "score-bar", title: `${number(wins)} won, ${number(draws)} drawn, ${number(losses)} lost` });
  for (const [kind, part] of [["won", wins], ["drawn", draws], ["lost", losses]]) {
    const share = all ? Math.round((100 * part) / all) : 0;
    const piece = make("span", { class: kind }, share >= 20 ? `${share}%` : "");
    piece.style.flexGrow = part;
    if (part) bar.append(piece);
  }
  return bar;
}

// Returns a function that loads something at its first call.
export function later(load) {
  let loaded;
  return () => (loaded ??= load());
}

// Returns a function that aborts the previous request and returns the signal for the next one.
export function latest() {
  let running;
  return () => {
    running?.abort();
    running = new AbortController();
    return running.signal;
  };
}

// A button that copies a text, and says whether it could; `none` is what it says if there is no text.
export function copyButton(label, text, none) {
  const said = make("span", { role: "status", class: "copied" });
  const click = async () => {
    try {
      const copied = text();
      if (copied) await navigator.clipboard.writeText(copied);
      said.textContent = copied ? "copied" : none;
    } catch {
      said.textContent = "the browser does not allow it";
    }
    setTimeout(() => { said.textContent = ""; }, 3000);
  };
  return make("span", {}, make("button", { type: "button", class: "quiet small", click }, label), said);
}

// Gives the user a file to keep.
export function saveFile(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  make("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

// A value as text; the address of a game on Lichess or chess.com as a link.
export const linked = (value) => (/^https?:\/\/(www\.)?(lichess\.org|chess\.com)\/[^\s"]*$/.test(value)
  ? make("a", { href: value, target: "_blank", rel: "noreferrer noopener" }, value)
  : value);

// Values that outlast the page; a browser may refuse to store them.
export const kept = {
  get(name) {
    try {
      return localStorage.getItem(`pgc-${name}`);
    } catch {
      return null;
    }
  },
  set(name, value) {
    try {
      localStorage.setItem(`pgc-${name}`, value);
    } catch {
      // The choice then lasts until the page is closed.
    }
  },
};
