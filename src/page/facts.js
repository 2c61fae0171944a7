// What the comments of a game say of its moves: clocks, time spent, evaluations, and the moves that
// lost much.

export const GLYPHS = {
  1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!", 7: "\u25a1", 10: "=", 13: "\u221e", 14: "\u2a72", 15: "\u2a71",
  16: "\u00b1", 17: "\u2213", 18: "+\u2212", 19: "\u2212+", 22: "\u2a00", 23: "\u2a00", 36: "\u2191", 37: "\u2191",
  40: "\u2192", 41: "\u2192", 44: "=\u221e", 45: "=\u221e", 132: "\u21c6", 133: "\u21c6", 140: "\u2206", 146: "N",
};

// The clocks of White and Black at a node.
export function clocks(node) {
  const found = [null, null];
  for (let at = node; at?.move && (found[0] === null || found[1] === null); at = at.parent) {
    const side = at.num % 2;
    if (found[side] === null && at.move.clock !== undefined) found[side] = at.move.clock;
  }
  return found;
}

export function clockText(seconds) {
  if (seconds === null || seconds === undefined) return "";
  const all = Math.floor(seconds);
  const two = (value) => String(value).padStart(2, "0");
  return `${Math.floor(all / 3600)}:${two(Math.floor(all / 60) % 60)}:${two(all % 60)}`;
}

// A time that was spent: "4.2 s", "1:05".
export function timeText(seconds) {
  if (seconds === null || seconds === undefined) return "";
  if (seconds < 60) return `${Number(seconds.toFixed(1))} s`;
  const all = Math.round(seconds);
  return all < 3600 ? `${Math.floor(all / 60)}:${String(all % 60).padStart(2, "0")}` : clockText(all);
}

// The evaluation of the position behind a node as a number from -1 (Black wins) to 1.
export function chance(move) {
  if (move?.mate !== undefined) return move.mate > 0 || Object.is(move.mate, 0) ? 1 : -1;
  return move?.eval === undefined ? null : 2 / (1 + Math.exp(-0.00368208 * move.eval)) - 1;
}

export function evalText(move) {
  if (move?.mate !== undefined) return `#${move.mate}`;
  return move?.eval === undefined ? "" : `${move.eval > 0 ? "+" : ""}${(move.eval / 100).toFixed(2)}`;
}

const JUDGEMENTS = [
  [0.3, { nag: 4, name: "blunder" }],
  [0.2, { nag: 2, name: "mistake" }],
  [0.1, { nag: 6, name: "inaccuracy" }],
];

// Finds what each move of the main line took in time and, where both positions have an evaluation,
// what it lost: by a tenth of the way from a lost game to a won one an inaccuracy, by two tenths a
// mistake, by three a blunder, as Lichess counts. A glyph of the annotator comes first.
export function judge(model) {
  const increment = Number(model.data.increment ?? /\+(\d+(?:\.\d+)?)$/.exec(model.tag("TimeControl"))?.[1] ?? 0);
  const before = [undefined, undefined];
  for (const node of model.main) {
    const { move } = node;
    if (!move) continue;
    const side = node.num % 2;
    const spent = before[side] === undefined || move.clock === undefined ? undefined : before[side] + increment - move.clock;
    node.spent = move.elapsed ?? (spent >= 0 ? spent : undefined);
    if (move.clock !== undefined) before[side] = move.clock;
    const given = JUDGEMENTS.find(([, { nag }]) => move.nags?.some((each) => each.nag === nag));
    const start = model.data.start ? null : 0;
    const [old, now] = [node.parent.move ? chance(node.parent.move) : start, chance(move)];
    if (given) [, node.judgement] = given;
    else if (old !== null && now !== null && !move.nags?.length) {
      const lost = side === 0 ? old - now : now - old;
      node.judgement = JUDGEMENTS.find(([least]) => lost >= least)?.[1];
    }
  }
}

// What is known of a move, in words.
export function marksOf(node) {
  const { move } = node;
  const facts = [
    node.spent === undefined ? "" : `${timeText(node.spent)} spent`,
    evalText(move) && `evaluation ${evalText(move)}${move.depth ? `, depth ${move.depth}` : ""}`,
  ];
  return facts.filter(Boolean).join(", ");
}

// The marked squares and arrows of the comments of a move: ["Ge4", "Rd1d8"].
export function shapes(move) {
  const found = [];
  for (const comment of [...(move?.comments ?? [])]) {
    for (const [, list] of comment.matchAll(/\[%c[as]l\s+([^\]]*)\]/g)) {
      found.push(...list.split(",").map((each) => each.trim()).filter((each) => /^[A-Z][a-h][1-8]([a-h][1-8])?$/.test(each)));
    }
  }
  return found;
}
