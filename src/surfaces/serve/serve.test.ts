import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { describe, test } from "node:test";
import type { BehindDoor } from "../../core/serving/door.ts";
import type { Host } from "../../core/host.ts";
import { localOwner } from "../../core/principal.ts";
import { serve } from "./index.ts";
import { statusText } from "./status-text.ts";

const sending = { session: "ses_1", input: [] } as never;

describe("a host that stays", () => {
  test("that was replaced takes no more work at once, says so and ends with 1", async () => {
    const it = world();
    const over = serve(it.ports, {});
    const { host } = await it.opened;
    const client = host.as(localOwner("cli"));
    assert.equal(await client.call("turns.send", sending), "sent");
    it.replaced.abort();
    await assert.rejects(client.call("turns.send", sending), { code: "stopping" });
    assert.equal(await client.call("turns.stop", { session: "ses_1" } as never), "sent");
    assert.equal(await over, 1);
    assert.deepEqual(it.events(), ["log", "warning", "serving", "stopping replaced", "stopped"]);
    assert.match(it.text(), /"event":"log","text":"mended a turn"/);
    assert.match(it.text(), /"event":"warning","text":"a key nobody knows"/);
    assert.deepEqual(it.closed, ["door", "host"]);
  });

  test("that was replaced while it was stopped takes nothing of what it had received", async () => {
    const it = world();
    const over = serve(it.ports, {});
    const client = (await it.opened).host.as(localOwner("cli"));
    it.wasStopped();
    await assert.rejects(client.call("turns.send", sending), { code: "stopping" });
    assert.equal(await over, 1);
  });

  test("that cannot go on takes no more work, says why and ends with 1", async () => {
    const it = world();
    const over = serve(it.ports, { drain: true });
    const { host, end } = await it.opened;
    end?.("The home is gone.");
    await assert.rejects(host.as(localOwner("cli")).call("turns.send", sending), { code: "stopping" });
    assert.equal(await over, 1);
    assert.deepEqual(it.events().slice(-2), ["stopping The home is gone.", "stopped"]);
  });

  test("ends after what runs has ended, or at once when it is told twice", async () => {
    const patient = world();
    const first = serve(patient.ports, { drain: true });
    const behind = await patient.opened;
    patient.signal("SIGTERM");
    await assert.rejects(behind.host.as(localOwner("cli")).call("turns.send", sending), { code: "stopping" });
    assert.equal((await behind.status()).stopping, true);
    assert.match(
      statusText(await behind.status(), 0),
      /listens at nowhere\ntelegram: failed, The token is refused\.$/,
      "a bot is none that anybody connects to, and may be out of order",
    );
    assert.deepEqual(patient.closed, [], "a turn runs");
    patient.drained.resolve();
    assert.equal(await first, 0);
    const hasty = world();
    const second = serve(hasty.ports, { drain: true });
    await hasty.opened;
    hasty.signal("SIGINT");
    hasty.signal("SIGINT");
    assert.equal(await second, 0);
    assert.deepEqual(hasty.closed, ["door", "host"]);
  });

  test("masks what it writes down, and refuses a port that is none", async () => {
    const it = world();
    const over = serve(it.ports, {});
    (await it.opened).log("something", { with: "a secret in it" });
    it.signal("SIGTERM");
    it.drained.resolve();
    await over;
    assert.match(it.text(), /"with":"a \*\*\* in it"/);
    for (const port of ["70000", "", " "])
      await assert.rejects(serve(world().ports, { port }), { code: "usage" }, `"${port}"`);
  });
});

/** A host of which nothing is real but what `serve` looks at. */
function world() {
  const replaced = new AbortController();
  const drained = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<BehindDoor>();
  const closed: string[] = [];
  const stderr = new PassThrough();
  let text = "";
  stderr.on("data", (chunk) => (text += String(chunk)));
  const host = {
    executing: {
      replaced: replaced.signal,
      look: () => (isStopped ? Promise.resolve(replaced.abort()) : undefined),
    },
    as: () => ({
      call: async (name: string) => (name === "host.status" ? { warnings: ["a key nobody knows"] } : "sent"),
    }),
    gateway: {
      live: () => ({
        bots: () => [{ surface: "telegram", state: "failed", restarts: 0, detail: "The token is refused." }],
      }),
    },
    activity: async () => ({ running: 1, questions: 0 }),
    takeNoMore: () => {},
    drain: () => drained.promise,
    redact: (line: string) => line.replaceAll("secret", "***"),
    about: { home: "/home", run: "/home/run", variables: [] },
    [Symbol.asyncDispose]: async () => {
      assert.doesNotMatch(text, /"event":"stopped"/, "it still ends");
      closed.push("host");
    },
  } as unknown as Host;
  let isStopped = false;
  let onSignal: ((signal: NodeJS.Signals) => void) | undefined;
  return {
    replaced,
    /** The next time it is asked, it finds that it was replaced. */
    wasStopped: () => (isStopped = true),
    drained,
    opened: opened.promise,
    closed,
    text: () => text,
    events: () =>
      text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as { event: string; why?: string })
        .map(({ event, why }) => (why === undefined ? event : `${event} ${why}`)),
    signal: (name: NodeJS.Signals) => onSignal?.(name),
    ports: {
      env: { SHELL: "none" },
      version: "test",
      stdin: {},
      stdout: new PassThrough(),
      stderr,
      openHost: async ({ onLog }: { readonly onLog: (line: string) => void }) => {
        onLog("mended a turn");
        return host;
      },
      doors: [
        async (behind: BehindDoor) => {
          opened.resolve(behind);
          return {
            address: "nowhere",
            attached: () => 0,
            [Symbol.asyncDispose]: async () => void closed.push("door"),
          };
        },
      ],
      status: async () => undefined,
      onSignal: (_names: readonly NodeJS.Signals[], callback: (signal: NodeJS.Signals) => void) => {
        onSignal = callback;
        return () => {};
      },
    },
  };
}
