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
export async function ask(question, parameters, signal) {
  let response;
  try {
    response = await fetch(`api/${question}?${new URLSearchParams(parameters)}`, { signal });
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

export const number = (value) => Number(value).toLocaleString("en");

export const count = (value, one, many) => `${number(value)} ${value === 1 ? one : many}`;

export const percent = (part) => (part === null || part === undefined ? "" : `${(100 * part).toFixed(1)} %`);

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
