import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BehindDoor } from "../../src/core/serving/door.ts";
import type { Host } from "../../src/core/host.ts";
import { newId } from "../../src/core/ids.ts";
import { localOwner } from "../../src/core/principal.ts";
import { openHost } from "../../src/host/index.ts";
import { systemClock } from "../../src/lib/clock.ts";
import type { Store } from "../../src/store/store.ts";
import { openHttp } from "../../src/surfaces/http/index.ts";
import { openSocket } from "../../src/surfaces/socket/index.ts";
import { type ServeFile, readServeFile } from "../../src/surfaces/socket/place.ts";
import { asOwner } from "../../test/owners-host.ts";
import { says, scriptedRuntime } from "../../test/fakes/scripted-runtime.ts";

/** A host with its two doors, and a runtime that answers from memory. */
export type World = AsyncDisposable & {
  readonly host: Host;
  readonly serving: ServeFile;
  readonly http: { readonly origin: string; readonly key: string };
  readonly store: Store;
  /** Turns in some sessions at once, to their ends. */
  turns(count: number): Promise<void>;
  /** Where the log ends now. */
  end(): Promise<string>;
};

const sessions = 8;
/** Followers are many, and one key is theirs. */
const settings = "http:\n  per_minute: 1000000\n  concurrent: 5000\n";

/** `answer`: what each turn says. */
export async function world(answer: string): Promise<World> {
  await using parts = new AsyncDisposableStack();
  const folder = await realpath(await mkdtemp(join(tmpdir(), "talaria-followers-")));
  parts.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const home = join(folder, "home");
  await mkdir(home, { mode: 0o700 });
  await writeFile(join(home, "config.yaml"), settings, { mode: 0o600 });
  const env = { PATH: process.env["PATH"], HOME: folder, TALARIA_HOME: home };
  const runtimes = { loop: scriptedRuntime((turn) => says(answer, turn)) };
  const kept: { store?: Store } = {};
  const wrapStore = (store: Store): Store => (kept.store = store);
  const seams = { runtimes, wrapStore };
  const host = parts.use(await openHost({ env, homeDir: folder, cwd: folder, version: "bench", seams }));
  const behind: BehindDoor = {
    host,
    env,
    version: "bench",
    port: 0,
    status: () => Promise.reject(new Error("nobody asks")),
    log: () => {},
  };
  const [door, http] = [await openSocket(behind), await openHttp(behind)];
  if (door === undefined || http === undefined) throw new Error("no door");
  for (const one of [door, http]) parts.use(one);
  const { key } = await asOwner(host).call("keys.add", { name: "bench", scopes: ["admin"] });
  const serving = await readServeFile(host.about.run);
  if (serving === undefined || kept.store === undefined) throw new Error("no door");
  const say = speaker(host, folder);
  const owned = parts.move();
  return {
    host,
    serving,
    store: kept.store,
    http: { origin: http.address, key },
    async turns(count) {
      const each = Array.from({ length: sessions }, async (_, at) => {
        for (let turn = at; turn < count; turn += sessions) await say(at);
      });
      await Promise.all(each);
    },
    async end() {
      for await (const first of asOwner(host).call("events.follow", { of: "all" }))
        if (first.type === "resume") return first.cursor;
      throw new Error("the log does not begin");
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function speaker(host: Host, cwd: string): (session: number) => Promise<void> {
  const client = host.as(localOwner("cli"));
  const ids = Array.from({ length: sessions }, () => newId("ses", systemClock.now()));
  const begun = new Set<number>();
  let last = 0;
  return async (at) => {
    const id = ids[at] ?? newId("ses", systemClock.now());
    const isNew = !begun.has(at);
    begun.add(at);
    const { inbox } = await client.call("turns.send", {
      key: { surface: "cli", account: "", chat: id, messageId: String((last += 1)) },
      session: isNew ? { id, cwd, surface: "cli", audience: "owner", runtime: "loop" } : id,
      input: [{ type: "text", text: "go on" }],
      whenBusy: "queue",
      attended: "none",
    });
    const ended = await client.call("turns.wait", { inbox });
    if (ended?.outcome !== "done") throw new Error(`a turn ended as ${JSON.stringify(ended)}`);
  };
}
