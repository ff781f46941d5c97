/** Talaria as the chat has it: one turn, and the review that follows it for as long as it lives. Argument: a `Life`. */
import { writeSync } from "node:fs";
import { argv, env, stdin } from "node:process";
import { newId } from "../../src/core/ids.ts";
import { openHost } from "../../src/host/index.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { lines } from "../../src/lib/rpc/jsonl.ts";
import type { Life } from "./real-part.ts";
import { send } from "../../test/owners-host.ts";

const { home, cwd, text, session } = JSON.parse(argv[2] ?? "{}") as Life;
const say = (fact: object): void => void writeSync(1, `${JSON.stringify(fact)}\n`);

await using host = await openHost({
  env: { ...env, TALARIA_HOME: home },
  homeDir: home,
  cwd,
  version: "bench",
  longLived: true,
});
const id = session ?? newId("ses", systemClock.now());
host.subscribe(id, (event) => {
  if (event.type === "item") say({ shown: { turn: event.turn, item: event.item.id } });
  if (event.type === "ended") say({ ended: { turn: event.turn, outcome: event.outcome } });
});
const sent = await send(host, {
  key: { surface: "cli", account: "", chat: "crash", messageId: text },
  session: session ?? { id, cwd, surface: "cli", audience: "owner" as const },
  input: [{ type: "text", text }],
  whenBusy: "queue",
  attended: "none",
});
say({ acked: text });
await sent.ended;
say({ session: id });
for await (const _ of lines(stdin)) break;
