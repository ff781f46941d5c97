/**
 * What a program left switched on in its terminal, judged by everything that it wrote: the next program in it would have to
 * live with that. In the order in which it was first touched.
 */
export function leftBehind(screen: { raw(): string }): readonly string[] {
  const left = new Map<string, boolean>();
  let kitty = 0;
  for (const { groups = {} } of screen.raw().matchAll(sequences)) {
    const { reset, mode, state, push, pop, other, progress, title, oldTitle, region, shape } = groups;
    if (reset !== undefined) {
      left.clear();
      kitty = 0;
    }
    for (const number of mode?.split(";") ?? [])
      left.set(modes[number] ?? `mode ${number}`, (state === "h") === isOffAtFirst(number));
    if (push !== undefined) left.set(kittyKeyboard, (kitty += 1) > 0);
    if (pop !== undefined) left.set(kittyKeyboard, (kitty = Math.max(0, kitty - (Number(pop) || 1))) > 0);
    if (other !== undefined) left.set("modified keys", Number(other) > 0);
    if (progress !== undefined) left.set("progress", progress !== "0");
    if (title !== undefined) left.set("title", title !== "");
    if (oldTitle !== undefined) left.set("title", false);
    if (region !== undefined) left.set("scroll region", region !== "");
    if (shape !== undefined) left.set("cursor shape", Number(shape) > 0);
  }
  return [...left].flatMap(([name, isLeft]) => (isLeft ? [name] : []));
}

const kittyKeyboard = "kitty keyboard";

const csi = String.raw`\u001b\[`;
const osc = String.raw`\u001b\]`;
const sequences = new RegExp(
  [
    String.raw`(?<reset>\u001bc|${csi}!p)`,
    String.raw`${csi}\?(?<mode>[\d;]+)(?<state>[hl])`,
    String.raw`${csi}>(?<push>\d*)u`,
    String.raw`${csi}<(?<pop>\d*)u`,
    String.raw`${csi}(?<oldTitle>23)(?:;\d+)*t`,
    String.raw`${csi}>4;?(?<other>\d*)m`,
    String.raw`${csi}(?<region>[\d;]*)r`,
    String.raw`${csi}(?<shape>\d*) q`,
    String.raw`${osc}9;4;(?<progress>\d)`,
    String.raw`${osc}[02];(?<title>[^\u0007\u001b]*)`,
  ].join("|"),
  "g",
);

const modes: Readonly<Record<string, string>> = {
  1: "application cursor keys",
  7: "no line wrapping",
  25: "hidden cursor",
  47: "alternate screen",
  1047: "alternate screen",
  1049: "alternate screen",
  9: "mouse",
  1000: "mouse",
  1002: "mouse motion",
  1003: "all mouse motion",
  1004: "focus reports",
  1006: "mouse coordinates",
  1015: "mouse coordinates",
  2004: "bracketed paste",
  2026: "synchronized output",
  2031: "colour scheme reports",
  2048: "size reports",
};

/** A line wraps, and the cursor can be seen, until somebody says otherwise. */
const isOffAtFirst = (mode: string): boolean => !["7", "25"].includes(mode);
