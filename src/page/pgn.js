// The PGN of a game with what the user has made of it.

export const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const ROSTER = [["Event", "?"], ["Site", "?"], ["Date", "????.??.??"], ["Round", "?"], ["White", "?"], ["Black", "?"], ["Result", "*"]];
const WIDTH = 80;

const pair = ([name, value]) => `[${name} "${String(value).replace(/["\\]/g, "\\$&")}"]\n`;

// A comment; one that has a brace in it, which would end it, goes to the end of the line.
function comment(text) {
  if (!text.includes("}")) return `{${text}}`;
  return text.includes("\n") ? `{${text.replaceAll("}", ")")}}` : `;${text}\n`;
}

// The comment that the user wrote of a move, and the drawings of its board.
function remark({ remark: text, shapes }) {
  const kinds = [["csl", shapes.filter((shape) => shape.length < 4)], ["cal", shapes.filter((shape) => shape.length > 3)]];
  const drawn = kinds.filter(([, list]) => list.length).map(([name, list]) => `[%${name} ${list.join(",")}]`).join("");
  const all = [drawn, text.replaceAll("}", ")")].filter(Boolean).join(" ");
  return all ? [`{${all}}`] : [];
}

// The words of a move, with its number where it needs one.
function move(node, needsNumber) {
  const isBlack = node.num % 2 === 1;
  const number = `${Math.floor(node.num / 2)}.${isBlack ? ".." : ""}`;
  const { nags, comments, before, nags_before: nagsBefore } = node.move;
  const glyphs = (list) => (list ?? []).map(({ nag }) => `$${nag}`);
  const after = [...(comments ?? []).map(comment), ...remark(node)];
  const first = [...glyphs(nagsBefore), ...(before ?? []).map(comment)];
  const isNumbered = !isBlack || needsNumber || first.length > 0;
  const words = [...first, ...(isNumbered ? [number] : []), node.move.san, ...glyphs(nags), ...after];
  return [words, after.length > 0];
}

// The words of the moves behind a node. Lines wait on a list, since they may be nested deeply.
function words(root) {
  const out = [];
  const waiting = [{ node: root.next, needsNumber: true }];
  while (waiting.length) {
    const task = waiting.pop();
    if (task.word) {
      out.push(task.word);
      continue;
    }
    const { node } = task;
    if (!node) continue;
    if (task.isOther) out.push("(");
    const [own, isBroken] = move(node, task.needsNumber || task.isOther);
    out.push(...own);
    const others = task.isOther ? [] : node.parent.others;
    if (task.isOther) waiting.push({ word: ")" });
    waiting.push({ node: node.next, needsNumber: isBroken || others.length > 0 });
    waiting.push(...others.toReversed().map((other) => ({ node: other, isOther: true })));
  }
  return out;
}

// Words in lines of 80 characters; words in brackets stay together with them.
function wrap(list) {
  let [text, line] = ["", ""];
  let open = "";
  for (const word of list) {
    if (word === "(") {
      open += word;
      continue;
    }
    const isJoined = word === ")" || line === "" || line.endsWith("\n");
    const added = (isJoined ? "" : " ") + open + word;
    if (line && !line.endsWith("\n") && word !== ")" && line.length + added.length > WIDTH) {
      text += `${line}\n`;
      line = open + word;
    } else line += added;
    open = "";
  }
  return text + line;
}

// The text of a game as it was written, if the user has added nothing; without a game, of the user's
// own moves; nothing if there is neither.
export function pgnOf(model) {
  const { data } = model;
  if (!model.isTouched) return data.pgn ?? "";
  const tags = [...ROSTER, ...Object.entries(data.tags ?? {})];
  if (data.fen && data.fen !== START) tags.push(["SetUp", "1"], ["FEN", data.fen]);
  // The tags of a game stay as they were written.
  const head = data.pgn ? /^(?:\s*\[\w+\s+"(?:[^"\\]|\\[^])*"\s*\])*/.exec(data.pgn)[0].trim() : tags.map(pair).join("").trim();
  const first = [...(data.comments ?? []).map(comment), ...remark(model.root)];
  const end = [data.text, data.termination ?? "*"].filter(Boolean);
  return `${head}${head && "\n\n"}${wrap([...first, ...words(model.root), ...end])}\n`;
}
