import { mkdir, mkdtemp, readdir, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Client } from "../../src/core/calls.ts";
import type { Host } from "../../src/core/host.ts";
import { type SessionId, newId } from "../../src/core/ids.ts";
import { openHost } from "../../src/host/index.ts";
import { connectTo } from "../../src/surfaces/socket/client.ts";
import { openSocket } from "../../src/surfaces/socket/index.ts";
import { readServeFile } from "../../src/surfaces/socket/place.ts";
import { protocolVersion, schemaVersion } from "../../src/surfaces/socket/protocol.ts";
import { type FakeClock, fakeClock } from "../../test/fakes/fake-clock.ts";
import { asOwner } from "../../test/owners-host.ts";
import { type Kind, runtime } from "./faults.ts";

/** A home whose host is opened, used and closed again and again, while its clock goes on. */
export type Life = AsyncDisposable & {
  readonly clock: FakeClock;
  /** Runs what is to be done with a host that was opened for it, and what a program at its socket sees. */
  open(use: (own: Client, attached: Client) => Promise<void>): Promise<void>;
  /** One turn to its end. How it ended. */
  turn(client: Client, session: number, kind: Kind): Promise<string>;
  /** What this process has open: timers of the clock, handles, children. */
  held(): Promise<Held>;
};

export type Held = { readonly sleeping: number; readonly handles: number; readonly children: number };

export async function newLife(sessions: number): Promise<Life> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "talaria-soak-")));
  const [home, cwd] = [join(folder, "home"), join(folder, "work")];
  await mkdir(cwd);
  const clock = fakeClock();
  const env = { PATH: process.env["PATH"], HOME: folder, TALARIA_HOME: home };
  const ids = Array.from({ length: sessions }, () => newId("ses", clock.now()));
  const begun = new Set<SessionId>();
  let last = 0;
  return {
    clock,
    async open(use) {
      await using host = await openHost({
        env,
        homeDir: folder,
        cwd,
        version: "bench",
        executor: true,
        longLived: true,
        seams: { clock, runtimes: { loop: runtime } },
      });
      await using attached = await attachedTo(host);
      await use(asOwner(host), attached.client);
    },
    async turn(client, session, kind) {
      const id = ids[session] ?? newId("ses", clock.now());
      const { inbox } = await client.call("turns.send", {
        key: { surface: "cli", account: "", chat: id, messageId: String((last += 1)) },
        session: begun.has(id) ? id : { id, cwd, surface: "cli", audience: "owner", runtime: "loop" },
        input: [{ type: "text", text: kind }],
        whenBusy: "queue",
        attended: "all",
      });
      begun.add(id);
      const ended = client.call("turns.wait", { inbox });
      if (kind === "is stopped") await stopped(client, id, ended);
      return (await ended)?.outcome ?? "nothing";
    },
    held: async () => ({
      sleeping: clock.pending(),
      handles: process.getActiveResourcesInfo().filter((name) => name !== "Immediate").length,
      children: await children(),
    }),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** Once more if it has not begun. */
async function stopped(client: Client, session: SessionId, ended: Promise<unknown>): Promise<void> {
  const over = ended.then(() => "over");
  do await client.call("turns.stop", { session });
  while ((await Promise.race([over, soon()])) !== "over");
}

const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const nobodyAsks = (): Promise<never> => Promise.reject(new Error("nobody asks"));

async function attachedTo(host: Host): Promise<AsyncDisposable & { readonly client: Client }> {
  const door = await openSocket({ host, env: {}, version: "bench", status: nobodyAsks, log: () => {} });
  const serving = await readServeFile(host.about.run);
  if (serving === undefined) throw new Error("nobody serves");
  const { token } = serving;
  const hello = { protocol: protocolVersion, schema: schemaVersion, token, surface: "cli", terminal: {} };
  const client = await connectTo(serving, hello, new AbortController().signal, () => {});
  return {
    client,
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await door?.[Symbol.asyncDispose]();
    },
  };
}

/** Processes whose parent is this one. 0 where there is no /proc. */
async function children(): Promise<number> {
  const pids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  const parents = await Promise.all(
    pids.map(async (pid) => {
      const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
      return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
    }),
  );
  return parents.filter((parent) => parent === process.pid).length;
}
