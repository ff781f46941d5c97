/** Stands between Talaria and codex, and loses what codex says of a turn that is over. */
import { argv, stdin, stdout } from "node:process";
import { systemClock } from "../../src/lib/clock.ts";
import { spawnChild } from "../../src/lib/process/child.ts";
import { lines } from "../../src/lib/rpc/jsonl.ts";

const [, , command = "", ...args] = argv;
await using codex = await spawnChild({
  command,
  args,
  cwd: process.cwd(),
  env: Object.fromEntries(Object.entries(process.env).map(([name, value = ""]) => [name, value])),
  kind: "ghosts-bench",
  registry: { add: async () => {}, remove: async () => {} },
  clock: systemClock,
  signal: new AbortController().signal,
});

type Frame = {
  readonly method?: string;
  readonly params?: { readonly turnId?: string; readonly turn?: { readonly id?: string } };
};

const over = new Set<string>();
const isLate = ({ method = "", params }: Frame): boolean =>
  method.startsWith("item/") && over.has(params?.turnId ?? "");

async function outward(): Promise<void> {
  for await (const line of lines(codex.stdout)) {
    const frame = JSON.parse(line) as Frame;
    if (frame.method === "turn/completed") over.add(frame.params?.turn?.id ?? "");
    if (!isLate(frame)) stdout.write(`${line}\n`);
  }
}

async function inward(): Promise<void> {
  for await (const line of lines(stdin)) await codex.write(`${line}\n`);
  codex.closeInput();
}

void inward();
await outward();
