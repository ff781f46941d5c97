/** One side in a process of its own. Each line on stdin asks for a block of so many turns and is answered with a line. */
import { argv, stdin, stdout } from "node:process";
import { lines } from "../../src/lib/rpc/jsonl.ts";
import type { Side, SideName, SideOptions, TurnTimes } from "./side.ts";

// Nobody pays for the packages of another side.
const sides: Record<SideName, (options: SideOptions) => Promise<Side>> = {
  plain: async (options) => (await import("./plain-side.ts")).plainSide(options),
  durable: async (options) => (await import("./plain-side.ts")).durableSide(options),
  talaria: async (options) => (await import("./talaria-side.ts")).talariaSide(options),
  openai: async (options) => (await import("./openai-side.ts")).openaiSide(options),
  toolkit: async (options) => (await import("./toolkit-side.ts")).toolkitSide(options),
};

const options = JSON.parse(argv[2] ?? "{}") as SideOptions;
await using side = await sides[options.name](options);
for await (const line of lines(stdin)) stdout.write(`${JSON.stringify(await block(side, Number(line)))}\n`);

/** In a conversation of its own, whose first turn is not counted. */
async function block(it: Side, turns: number): Promise<readonly TurnTimes[]> {
  const times: TurnTimes[] = [];
  it.open();
  await it.turn();
  while (times.length < turns) times.push(await withProcessor(() => it.turn()));
  return times;
}

async function withProcessor(turn: () => Promise<TurnTimes>): Promise<TurnTimes> {
  const before = process.cpuUsage();
  const times = await turn();
  const { user, system } = process.cpuUsage(before);
  return { ...times, cpuMs: (user + system) / 1000 };
}
