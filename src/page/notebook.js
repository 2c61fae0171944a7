// The notebook: what the user makes of games and positions, and games that were pasted, in the
// IndexedDB of this browser. An entry keeps the game itself, so it needs no archive.

import { byId, count, make, playersText, saveFile, send } from "./common.js";
import { pgnOf, START } from "./pgn.js";

const STORE = "entries";

const done = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

// A short name of a text (cyrb53, which has 53 bits).
function hash(text) {
  let [a, b] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return (4294967296 * (2097151 & b) + (a >>> 0)).toString(36);
}

// What an entry is about: the text of a game, or a position and its rules.
const baseOf = (model) => (model.data.pgn ? { pgn: model.data.pgn } : { fen: model.root.fen ?? "", rules: model.tag("Variant") });

const idOf = (base) => hash(base.pgn ?? `${base.fen}\n${base.rules}`);

export class Notebook {
  // `onOpen` gets an entry that is chosen, `onFailure` why the browser keeps nothing.
  constructor(onOpen, onFailure) {
    Object.assign(this, { onOpen, onFailure });
    this.element = byId("notebook");
  }

  // The entries as a store of the browser; opened once.
  async store(mode) {
    this.opened ??= (async () => {
      const request = indexedDB.open("pgc-notebook", 1);
      request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: "id" });
      return done(request);
    })();
    return (await this.opened).transaction(STORE, mode).objectStore(STORE);
  }

  async get(id) {
    try {
      return await done((await this.store("readonly")).get(id));
    } catch {
      return undefined;
    }
  }

  // Puts back what the user has made of this game or position before.
  async attach(model) {
    const base = baseOf(model);
    model.note ??= await this.get(idOf(base));
    if (model.note) model.restore(model.note.own);
  }

  // Keeps the game or position with what the user has made of it; forgets it if there is nothing,
  // unless it was pasted.
  async save(model, isPasted = false) {
    const base = model.note?.base ?? baseOf(model);
    const { own, data } = model;
    const title = data.pgn ? model.players || "a game" : base.fen === START && !base.rules ? "From the start" : "From a position";
    const note = { id: idOf(base), base, own, title, pgn: pgnOf(model), changed: Date.now(),
      from: model.note?.from ?? (data.number ? model.name : data.pgn ? "pasted" : base.fen),
      isPasted: model.note?.isPasted ?? isPasted, saved: model.note?.saved };
    model.note = note;
    await this.write((store) => (own.length || note.isPasted ? store.put(note) : store.delete(note.id)));
  }

  // Keeps games that were pasted; the others of the text keep waiting until they are opened.
  async paste(texts) {
    for (const pgn of texts) {
      const tag = (name) => new RegExp(`^\\[${name}\\s+"((?:[^"\\\\]|\\\\.)*)"`, "m").exec(pgn)?.[1] ?? "?";
      const base = { pgn };
      if (await this.get(idOf(base))) continue;
      const note = { id: idOf(base), base, own: [], title: playersText(tag("White"), tag("Black"), "a game"), pgn, changed: Date.now(), from: "pasted", isPasted: true };
      await this.write((store) => store.put(note));
    }
  }

  // Adds games to the archive of the server's option --notebook, all at once, and notes that in their
  // entries, if there is something of the user in them; returns a link to the first one there.
  async add(...notes) {
    try {
      const { number, games } = await send("keep", {}, notes.map(({ pgn }) => pgn).join("\n\n"));
      if (games !== notes.length) return this.link({ archive: this.archive.name, number });
      for (const [at, note] of notes.entries()) {
        note.saved = { archive: this.archive.name, number: number + at, pgn: note.pgn };
        if (note.own.length || note.isPasted) await this.write((store) => store.put(note));
      }
      return this.link(notes[0].saved);
    } catch (error) {
      this.onFailure(error);
      return "nothing";
    }
  }

  // What was saved, as a link if the archive is still the one of the server.
  link({ archive, number }) {
    const name = `${archive}:${number}`;
    return archive === this.archive?.name ? make("a", { href: `#game=${this.archive.place}:${number}` }, name) : name;
  }

  async write(change) {
    try {
      await done(change(await this.store("readwrite")));
    } catch {
      this.onFailure(new Error("This browser keeps nothing: save the game as PGN before you close the page."));
    }
    if (!this.element.hidden) await this.show();
  }

  // Shows the entries, the newest first.
  async show() {
    let entries = [];
    try {
      entries = await done((await this.store("readonly")).getAll());
    } catch {
      // The list is then empty, as it will be the next time.
    }
    entries.sort((a, b) => b.changed - a.changed);
    const button = (label, click, kind = "quiet small") => make("button", { type: "button", class: kind, click }, label);
    const moves = ({ own }) => own.filter((each) => each.move).length;
    const remarks = ({ own }) => own.filter((each) => each.remark || each.shapes.length).length;
    const facts = (entry) => [entry.from, moves(entry) ? count(moves(entry), "move", "moves") : "", remarks(entry) ? count(remarks(entry), "note", "notes") : "",
      new Date(entry.changed).toISOString().slice(0, 10).replaceAll("-", ".")].filter(Boolean).join(" \u00b7 ");
    const isNew = ({ saved, pgn }) => this.archive && saved?.pgn !== pgn;
    const item = (entry) => make("li", {},
      button(entry.title, () => this.onOpen(entry), "link"),
      make("span", { class: "facts" }, facts(entry), ...(entry.saved?.pgn === entry.pgn ? [" \u00b7 saved as ", this.link(entry.saved)] : [])),
      isNew(entry) ? button(`Add to ${this.archive.name}`, () => this.add(entry)) : null,
      button("Forget", () => this.write((store) => store.delete(entry.id))));
    const news = entries.filter(isNew).reverse();
    const all = () => saveFile("notebook.pgn", "application/x-chess-pgn", entries.map((entry) => `${entry.pgn.trimEnd()}\n`).join("\n"));
    this.element.replaceChildren(...(entries.length
      ? [make("p", { class: "choices" }, button("Save all as PGN", all, "small"),
        news.length > 1 ? button(`Add all to ${this.archive.name}`, () => this.add(...news), "small") : null, count(entries.length, "game or position", "games and positions")),
        make("ul", { class: "entries" }, ...entries.map(item))]
      : [make("p", { class: "hint" }, "Here stands what you make of games: your own moves, comments and arrows (draw them with the right button, or a long press), and games that you paste.")]),
    make("p", { class: "hint small" }, `This browser keeps them for this address. Save them as PGN${this.archive ? `, or add them to ${this.archive.name},` : ""} to have them elsewhere.`));
  }
}
