import { newId } from "../../src/core/ids.ts";
import { openHost } from "../../src/host/index.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { watchStore } from "../codex/watched-store.ts";
import { environment } from "./place.ts";
import { type Side, type SideOptions, answer, said } from "./side.ts";
import { stopwatch } from "./stopwatch.ts";
import { send } from "../../test/owners-host.ts";

/** The whole program but for its surface: everything is committed before it is told. */
export async function talariaSide({ folder, cwd }: SideOptions): Promise<Side> {
  const watch = stopwatch();
  const stored = watchStore();
  const host = await openHost({
    env: environment(folder),
    homeDir: folder,
    cwd,
    version: "bench",
    seams: { store: { onStatement: stored.onStatement }, wrapStore: stored.wrap },
  });
  let id = newId("ses", systemClock.now());
  let count = 0;
  let unsubscribe: (() => void) | undefined;
  return {
    open() {
      unsubscribe?.();
      id = newId("ses", systemClock.now());
      count = 0;
      unsubscribe = host.subscribe(id, (event) => {
        if (event.type === "started" || event.type === "ended") watch.mark(event.type);
        if (event.type === "delta" && event.of === "text") watch.mark("first");
        if (event.type === "item" && event.item.kind === "text") watch.mark("text");
      });
    },
    async turn() {
      watch.start();
      stored.reset(systemClock.monotonic());
      count += 1;
      const sent = await send(host, {
        key: { surface: "cli", account: "", chat: id, messageId: String(count) },
        session: count === 1 ? { id, cwd, surface: "cli", audience: "owner" as const } : id,
        input: [{ type: "text", text: said }],
        whenBusy: "refuse",
        attended: "none",
      });
      watch.mark("admitted");
      const ended = await sent.ended;
      const done = ended?.outcome === "done" && ended.text === answer;
      return { marks: watch.marks(), afterMs: watch.elapsed(), done, store: stored.work() };
    },
    [Symbol.asyncDispose]: () => host[Symbol.asyncDispose](),
  };
}
