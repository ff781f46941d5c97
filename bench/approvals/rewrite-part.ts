import { join } from "node:path";
import type { Part } from "./part.ts";
import { type RewriteWorld, type Way, newSession, replyOf, rewriteWorld } from "./rewrite-world.ts";
import { type Rewrite, rewrites } from "./rewrites.ts";

/**
 * A yes, and then what it was given for is made to do something else: that must not be done. The same without the
 * change, of something that has a fixed meaning, is done without another question, unless nobody is there.
 */
export const rewritePart: Part = async ({ rewriteWays }, _seed, progress) => {
  const figures: Record<string, unknown> = {};
  const faults: string[] = [];
  for (const [way, share] of Object.entries(rewriteWays) as [Way, number][]) {
    if (share === 0) continue;
    progress(`yes and then rewritten, on ${way}`);
    const { names, caught, wrong } = await rewrittenOn(way, (index) => index % share === 0);
    figures[way] = { tried: names.length + 1, executed: caught.size };
    faults.push(...wrong);
  }
  // Our own rule taken away: a yes is good for the words, whatever they have come to mean.
  const mutant = await rewrittenOn("loop", (index) => index % rewriteWays.loop === 0, {
    tieOf: async () => undefined,
  });
  const unnoticed = mutant.names.filter((name) => name !== "arguments" && !mutant.caught.has(name));
  figures["words only"] = `${mutant.caught.size} of ${mutant.names.length} executed`;
  return {
    name: "rewrites",
    figures,
    faults: [...faults, ...unnoticed.map((name) => `nobody noticed a yes to words alone: ${name}`)],
  };
};

type Tried = {
  readonly names: readonly string[];
  /** Cases in which what came after the yes was done. */
  readonly caught: ReadonlySet<string>;
  readonly wrong: readonly string[];
};

async function rewrittenOn(
  way: Way,
  choose: (index: number) => boolean,
  seams: Parameters<typeof rewriteWorld>[2] = {},
): Promise<Tried> {
  const some = (trips: string): readonly Rewrite[] => rewrites(trips).filter((_, index) => choose(index));
  await using world = await rewriteWorld(
    way,
    (trips) => [...some(trips), fixed(trips)].flatMap(stepsOn(way)),
    seams,
  );
  const cases = some(world.trips);
  const caught = new Set<string>();
  const wrong: string[] = [];
  for (const each of cases) {
    const faults = await tryOne(world, each);
    wrong.push(...faults.map((fault) => `${way}, ${each.name}: ${fault}`));
    if (faults.some((fault) => fault.endsWith("done"))) caught.add(each.name);
  }
  // Of a yes that is good for more than it should be, this says nothing.
  if (seams.tieOf === undefined)
    wrong.push(...(await tryFixed(world)).map((fault) => `${way}, fixed: ${fault}`));
  return { names: cases.map(({ name }) => name), caught, wrong };
}

const stepsOn =
  (way: Way) =>
  ({ name, does, again }: Rewrite): readonly object[] =>
    [
      { text: `first ${name}`, what: does },
      { text: `then ${name}`, what: again ?? does },
      { text: `alone ${name}`, what: again ?? does },
    ].flatMap(({ text, what }) =>
      replyOf(what, way, `I need it: ${text}`).map((part) => ({ when: `^${text}$`, reply: [part] })),
    );

async function tryOne(world: RewriteWorld, { name, set }: Rewrite): Promise<readonly string[]> {
  const session = newSession();
  await set("good", world.cwd);
  const first = await world.turn(session, `first ${name}`, "yes");
  const good = await world.marks();
  await set("evil", world.cwd);
  const then = await world.turn(session, `then ${name}`, "no");
  const evil = await world.marks();
  await world.turn(session, `alone ${name}`, "no", "none");
  const alone = await world.marks();
  return [
    ...(first === 1 && good.includes("good")
      ? []
      : [`asked ${first} times at first, and did ${good.join()}`]),
    ...(then === 1 ? [] : [`asked ${then} times after it was changed`]),
    ...(evil.length === 0 ? [] : ["what came after the yes was done"]),
    ...(alone.length === 0 ? [] : ["with nobody there it was done"]),
  ];
}

/** Words and a program of the system: a yes to it has one meaning. */
const fixed = (trips: string): Rewrite => ({
  name: "fixed",
  does: { command: `touch ${join(trips, "good")}` },
  set: async () => {},
});

async function tryFixed(world: RewriteWorld): Promise<readonly string[]> {
  const session = newSession();
  const first = await world.turn(session, "first fixed", "yes");
  await world.marks();
  const then = await world.turn(session, "then fixed", "no");
  const again = await world.marks();
  await world.turn(session, "alone fixed", "no", "none");
  const alone = await world.marks();
  return [
    ...(first === 1 && then === 0 && again.includes("good") ? [] : [`asked ${first} and ${then} times`]),
    ...(alone.length === 0 ? [] : ["with nobody there it was done"]),
  ];
}
