/** Talaria as `talaria run` has it, in a process of its own: nobody is there to ask. Says one line for each turn. */
import { PassThrough } from "node:stream";
import { argv, env, stdin, stdout } from "node:process";
import type { Choice } from "../../src/core/asking.ts";
import type { Host } from "../../src/core/host.ts";
import { type SessionId, newId } from "../../src/core/ids.ts";
import type { Item } from "../../src/core/items.ts";
import { openHost } from "../../src/host/index.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { lines } from "../../src/lib/rpc/jsonl.ts";
import { turnPrinter } from "../../src/surfaces/cli/turn-printer.ts";
import type { Asked, TurnTold } from "./turns.ts";
import { asOwner, send } from "../../test/owners-host.ts";

const [, , cwd = "", runtime = ""] = argv;
stdout.write(`${JSON.stringify({ pid: process.pid })}\n`);
let opened: Promise<Host> | undefined;
const talks = new Map<string, SessionId>();
for await (const line of lines(stdin))
  stdout.write(`${JSON.stringify(await turn(JSON.parse(line) as Asked))}\n`);
await (await opened)?.[Symbol.asyncDispose]();

async function turn({ text, attended, talk }: Asked): Promise<TurnTold> {
  const host = await (opened ??= openHost({ env, homeDir: env["HOME"] ?? "", cwd, version: "0.0.0" }));
  const known = talks.get(talk);
  const session = known ?? newId("ses", systemClock.now());
  talks.set(talk, session);
  const shown = { stdout: collected(), stderr: collected() };
  const show = turnPrinter({
    stdout: shown.stdout.stream,
    stderr: shown.stderr.stream,
    quiet: false,
    color: false,
  });
  const calls: TurnTold["calls"][number][] = [];
  const stop = host.subscribe(session, (event) => {
    show(event);
    if (event.type === "approval" && event.approval.decision === undefined)
      void asOwner(host).call("approvals.answer", {
        approval: event.approval.id,
        choice: longest(event.approval.choices),
      });
    if (event.type === "item" && event.item.kind === "call") calls.push(callOf(event.item));
  });
  const sent = await send(host, {
    key: { surface: "cli", account: "", chat: session, messageId: crypto.randomUUID() },
    session: known ?? { id: session, cwd, surface: "cli", audience: "owner" as const },
    input: [{ type: "text", text }],
    whenBusy: "queue",
    attended: attended === "yes" ? "ask" : attended,
    choices: { runtime },
  });
  const { outcome = "never" } = (await sent.ended) ?? {};
  stop();
  return { outcome, calls, stdout: shown.stdout.text(), stderr: shown.stderr.text() };
}

function longest(choices: readonly Choice[]): Choice {
  return (["always", "session"] as const).find((choice) => choices.includes(choice)) ?? "once";
}

function callOf({ tool, ok, output }: Extract<Item, { kind: "call" }>): TurnTold["calls"][number] {
  return { tool, ok, output: output.slice(0, 2000) };
}

function collected() {
  const stream = new PassThrough();
  const chunks: string[] = [];
  stream.setEncoding("utf8").on("data", (chunk: string) => chunks.push(chunk));
  return { stream, text: () => chunks.join("").slice(0, 200_000) };
}
