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

// Won, drawn and lost games as one bar.
export function scoreBar(wins, draws, losses) {
  const all = wins + draws + losses;
  const bar = draw("svg", { class: "score-bar", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" });
  let x = 0;
  for (const [kind, part] of [["won", wins], ["drawn", draws], ["lost", losses]]) {
    const width = all ? (100 * part) / all : 0;
    bar.append(draw("rect", { class: kind, x, width, y: 0, height: 10 }));
    x += width;
  }
  return bar;
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

// A button that copies a text, and says whether it could.
export function copyButton(label, text) {
  const said = make("span", { role: "status", class: "copied" });
  const click = async () => {
    try {
      await navigator.clipboard.writeText(text());
      said.textContent = "copied";
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
