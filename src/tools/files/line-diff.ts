/** A run of lines that both have, or of lines that only one of them has. */
export type LineRun = {
  readonly kind: "same" | "old" | "new";
  readonly lines: readonly string[];
};

/** Beyond so many lines that differ, the middle is given as replaced: right, only longer than it could be. */
const maxDiffering = 1000;

/** How the lines of `before` become those of `after`. Where lines are replaced the old ones come first. */
export function lineDiff(before: readonly string[], after: readonly string[]): readonly LineRun[] {
  const least = Math.min(before.length, after.length);
  let head = 0;
  while (head < least && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < least - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const old = before.slice(head, before.length - tail);
  const fresh = after.slice(head, after.length - tail);
  const middle = between(old, fresh, commonPairs(old, fresh) ?? []);
  return joined([
    { kind: "same", lines: before.slice(0, head) },
    ...middle,
    { kind: "same", lines: before.slice(before.length - tail) },
  ]);
}

type Pair = readonly [old: number, fresh: number];

function between(
  old: readonly string[],
  fresh: readonly string[],
  pairs: readonly Pair[],
): readonly LineRun[] {
  const found: LineRun[] = [];
  let [fromOld, fromFresh] = [0, 0];
  for (const [toOld, toFresh] of [...pairs, [old.length, fresh.length] as const]) {
    found.push({ kind: "old", lines: old.slice(fromOld, toOld) });
    found.push({ kind: "new", lines: fresh.slice(fromFresh, toFresh) });
    found.push({ kind: "same", lines: old.slice(toOld, toOld + 1) });
    [fromOld, fromFresh] = [toOld + 1, toFresh + 1];
  }
  return found;
}

function joined(runs: readonly LineRun[]): readonly LineRun[] {
  const found: { kind: LineRun["kind"]; lines: readonly string[] }[] = [];
  for (const { kind, lines } of runs) {
    const last = found.at(-1);
    if (lines.length === 0) continue;
    if (last?.kind === kind) last.lines = last.lines.concat(lines);
    if (last?.kind !== kind) found.push({ kind, lines });
  }
  return found;
}

/**
 * The places of lines that stay, in order, by Myers' greedy search: for 0, 1, 2… differing lines, how far does each
 * diagonal (place in `a` minus place in `b`) get? Undefined when too much differs.
 */
function commonPairs(a: readonly string[], b: readonly string[]): readonly Pair[] | undefined {
  const most = Math.min(maxDiffering, a.length + b.length);
  const middle = most + 1;
  const reached = new Int32Array(2 * most + 3);
  const trace: Int32Array[] = [];
  for (let differing = 0; differing <= most; differing += 1) {
    trace.push(reached.slice(middle - differing - 1, middle + differing + 2));
    for (let k = -differing; k <= differing; k += 2) {
      const before = previous(reached, middle, differing, k);
      let x = (reached[middle + before] ?? 0) + (before < k ? 1 : 0);
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
      reached[middle + k] = x;
      if (x >= a.length && x - k >= b.length) return walkBack(trace, a.length, b.length);
    }
  }
  return undefined;
}

/** The diagonal from which `k` is entered: by a new line from the one above, by an old line from the one below. */
function previous(reached: Int32Array, middle: number, differing: number, k: number): number {
  if (k === -differing) return k + 1;
  if (k === differing) return k - 1;
  return (reached[middle + k - 1] ?? 0) < (reached[middle + k + 1] ?? 0) ? k + 1 : k - 1;
}

function walkBack(trace: readonly Int32Array[], endA: number, endB: number): readonly Pair[] {
  const pairs: Pair[] = [];
  let [x, y] = [endA, endB];
  for (const [differing, reached] of [...trace.entries()].toReversed()) {
    const before = previous(reached, differing + 1, differing, x - y);
    const fromX = reached[differing + 1 + before] ?? 0;
    const fromY = fromX - before;
    for (; x > fromX && y > fromY; x -= 1, y -= 1) pairs.push([x - 1, y - 1]);
    [x, y] = [fromX, fromY];
  }
  return pairs.toReversed();
}
