import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TurnEvent } from "../../src/core/events.ts";
import type { Message } from "../../src/core/messages.ts";
import type { CodexSwitches } from "../../src/host/codex/switches.ts";
import { suiteRuntime } from "../../src/runtimes/codex/codex.suite.ts";
import { patience, realPlace } from "../../src/runtimes/codex/real-codex.suite.ts";
import { portsOf, turnOf } from "../../src/runtimes/runtime.suite.ts";
import type { Runtime, Turn } from "../../src/runtimes/runtime.ts";
import { startRawProvider } from "../fakes/raw-provider.ts";
import { sse } from "./model-answers.ts";

/** A runtime on a real codex that was told what the person forbids. `replies`: the items of the model, answer by answer. */
export type ForbiddingPlace = AsyncDisposable & {
  readonly runtime: Runtime;
  readonly work: string;
  readonly ports: ReturnType<typeof portsOf>;
  turn(more?: Partial<Turn>): Promise<readonly TurnEvent[]>;
  /** A turn after the person has switched, while the process of the one before has the thread in hand. */
  turnAfter(switches: CodexSwitches, history: readonly Message[]): Promise<readonly TurnEvent[]>;
  /** Which of the files `made`, `other` and `patched` there are. */
  made(): readonly string[];
  request(at: number): string;
};

type Replies = readonly (readonly object[])[];

export async function forbiddingPlace(
  { binary, version, model }: { readonly binary: string; readonly version: string; readonly model: string },
  switches: CodexSwitches,
  replies: Replies | ((work: string) => Replies),
  settings = "",
): Promise<ForbiddingPlace> {
  await using opened = new AsyncDisposableStack();
  const real = opened.use(await realPlace(binary));
  const answers = typeof replies === "function" ? replies(real.work) : replies;
  const raw = opened.use(await startRawProvider(answers.map((items) => ({ body: sse(items) }))));
  await writeFile(join(real.home, "config.toml"), settings);
  const route = { name: "raw", url: raw.url, headers: {} };
  const runtimeOf = ({ unheeded, ...told }: CodexSwitches): Runtime =>
    suiteRuntime(real.launch({ version, route, model, ...told }), model, undefined, {
      ...told,
      ignoredByCodex: unheeded,
    });
  const runtime = opened.use(runtimeOf(switches));
  const ports = portsOf([], patience);
  const first = turnOf({});
  const kept = opened.move();
  return {
    runtime,
    work: real.work,
    ports,
    turn: (more = {}) =>
      Array.fromAsync(runtime.run({ ...turnOf({}), session: first.session, cwd: real.work, ...more }, ports)),
    async turnAfter(others, history) {
      await using next = runtimeOf(others);
      return await Array.fromAsync(next.run({ ...turnOf({ history }), cwd: real.work }, ports));
    },
    made: () => ["made", "other", "patched"].filter((name) => existsSync(join(real.work, name))),
    request: (at) => raw.requests[at]?.body ?? "{}",
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

export const notesIn = (events: readonly TurnEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === "item" && event.item.kind === "note" ? [event.item.text] : []));

export const noticesIn = (events: readonly TurnEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === "notice" && event.code === "codex_unheeded" ? [event.text] : []));
