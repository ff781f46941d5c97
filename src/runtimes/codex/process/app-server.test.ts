import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { systemClock } from "../../../lib/clock.ts";
import type { Clock } from "../../../lib/clock.ts";
import { startTimeOf } from "../../../lib/process/process-identity.ts";
import { SpawnError } from "../../../lib/process/spawn-error.ts";
import { startAppServer } from "./app-server.ts";
import type { AppServer, StartOptions } from "./app-server.ts";
import { AppServerGone, RequestTimedOut } from "./gone.ts";
import type { Launch } from "./launch.ts";

/** For all tests of this file together. */
const patience = AbortSignal.timeout(300_000);
const soon = { signal: patience, timeoutMs: 30_000 };

/** Waits that begin after `hurry` are twenty times as short: those that are long on purpose, and none for a start. */
function hurriedClock(): Clock & { hurry(): void } {
  let factor = 1;
  return {
    ...systemClock,
    sleep: (ms, signal, options) => systemClock.sleep(ms / factor, signal, options),
    hurry: () => void (factor = 20),
  };
}

/** Ends no wait of a second or more until the test has taken far too long. */
const shortSleep: Clock["sleep"] = (ms, signal, options) =>
  systemClock.sleep(ms < 1_000 ? ms : 10_000, signal, options);

describe("starting", () => {
  test("says who we are and what we can do, then that we are ready", async () => {
    const { server, forgotten } = await start(`${greeting} answer("hello", { seen });`, {
      optOut: ["item/plan/delta"],
      clientVersion: "1.2.3",
    });
    const { seen } = (await server.request("hello", {}, soon)) as { seen: unknown };
    assert.deepEqual(seen, [
      {
        id: 1,
        method: "initialize",
        params: {
          clientInfo: { name: "talaria", title: "Talaria", version: "1.2.3" },
          capabilities: {
            experimentalApi: true,
            requestAttestation: false,
            optOutNotificationMethods: ["item/plan/delta"],
          },
        },
      },
      { method: "initialized" },
      { id: 2, method: "hello", params: {} },
    ]);
    assert.deepEqual([server.userAgent, server.codexHome], ["fake/1", undefined]);
    await server[Symbol.asyncDispose]();
    assert.deepEqual(forgotten, [server.pid]);
  });

  test("bears with notifications before the greeting, and keeps what they warn of", async () => {
    const early = `say({ method: "configWarning", params: { summary: "Odd." } }); say({ method: "remoteControl/status/changed", params: {} });`;
    await using server = (await start(early + greeting)).server;
    assert.deepEqual(server.notices, ["Odd."]);
  });

  test("gives each start its own epoch", async () => {
    await using one = (await start(greeting)).server;
    await using two = (await start(greeting)).server;
    assert.ok(two.epoch > one.epoch);
  });

  test("a process that ends at once fails with its last words, without colours and secrets", async () => {
    const words = String.raw`process.stderr.write("\u001b[31mError\u001b[0m: no such thing, key is hush-hush-42\n"); process.exit(7);`;
    await assert.rejects(start(words, {}, { secrets: ["hush-hush-42"] }), (error) => {
      assert.ok(error instanceof AppServerGone);
      assert.deepEqual(error.gone, {
        code: 7,
        signal: null,
        stderrTail: "Error: no such thing, key is [redacted]\n",
        reason: "exit",
      });
      return true;
    });
  });

  test("a process that says nothing is given up after ten seconds, and not left", async () => {
    const started: number[] = [];
    const clock = hurriedClock();
    clock.hurry();
    const stalled = start("setInterval(() => {}, 1000);", { clock }, {}, started);
    await assert.rejects(stalled, (error) => error instanceof RequestTimedOut && error.timeoutMs === 10_000);
    assert.deepEqual(started.map(startTimeOf), [undefined]);
  });

  test("a process that greets otherwise is no app-server", async () => {
    const started: number[] = [];
    const other = start(`answer("initialize", "hi there");`, {}, {}, started);
    await assert.rejects(other, /does not speak its protocol/);
    assert.deepEqual(started.map(startTimeOf), [undefined]);
  });

  test("can be given up, and leaves nothing", async () => {
    const stop = new AbortController();
    const started: number[] = [];
    const starting = start("setInterval(() => {}, 1000);", { signal: stop.signal }, {}, started, () =>
      stop.abort(new Error("never mind")),
    );
    await assert.rejects(starting, /never mind/);
    assert.deepEqual(started.map(startTimeOf), [undefined]);
    await assert.rejects(start(greeting, { signal: stop.signal }), /never mind/);
  });

  test("is told of as soon as it is greeted, whenever it answers", async () => {
    const stop = new AbortController();
    const onGreeted = (): void => stop.abort(new Error("greeted"));
    const silent = start("setInterval(() => {}, 1000);", { signal: stop.signal, onGreeted });
    await assert.rejects(silent, /greeted/);
  });

  test("a program that cannot be run is told as such", async () => {
    await assert.rejects(start("", {}, { command: "/nowhere/codex" }), (error) => {
      assert.ok(error instanceof SpawnError);
      assert.match(error.message, /Cannot start \/nowhere\/codex: there is no such file/);
      return true;
    });
  });
});

describe("a running process", () => {
  test("that sends a line of 64 MiB is given up in bounded memory, and not left", async () => {
    const { server } = await start(
      `${greeting} on("flood", () => { const piece = "x".repeat(1 << 20); let left = 64; const more = () => left-- > 0 && process.stdout.write(piece, more); more(); });`,
    );
    const before = process.memoryUsage().rss;
    await assert.rejects(server.request("flood", {}, soon), /message that is too large/);
    const rise = process.memoryUsage().rss - before;
    assert.ok(rise <= 3 * 32 * 1024 * 1024, `memory rose by ${Math.round(rise / 1024 / 1024)} MiB`);
    assert.equal((await server.gone).reason, "line-too-long");
    await isGone(server);
  });

  test("that floods stderr is not held up", async () => {
    await using server = (
      await start(
        `${greeting} on("flood", ({ id }) => { process.stderr.write("y".repeat(30 << 20), () => say({ id, result: "done" })); });`,
      )
    ).server;
    assert.equal(await server.request("flood", {}, soon), "done");
  });

  test("that does not read takes 4 MiB and then is given up, with everything that waits", async () => {
    const { server } = await start("", {}, shell("exec sleep 600"));
    const text = "x".repeat(1024 * 1024);
    const requests = Array.from({ length: 8 }, () => server.request("thread/inject_items", { text }, soon));
    const reasons = (await Promise.allSettled(requests)).map((outcome) =>
      outcome.status === "rejected" && outcome.reason instanceof AppServerGone
        ? outcome.reason.gone.reason
        : outcome,
    );
    assert.deepEqual(
      reasons,
      requests.map(() => "write-stuck"),
    );
    await isGone(server);
  });

  test("that does not read a smaller message is given up after ten seconds", async () => {
    const clock = hurriedClock();
    const { server } = await start("", { clock }, shell("exec sleep 600"));
    clock.hurry();
    const text = "x".repeat(2 * 1024 * 1024);
    const asked = server.request("thread/inject_items", { text }, { ...soon, timeoutMs: 120_000 });
    await assert.rejects(asked, /does not accept input/);
    await isGone(server);
  });

  test("that closed its input is given up", async () => {
    const clock = hurriedClock();
    const { server } = await start("", { clock }, shell("exec 0<&-; echo closed >&2; sleep 600"));
    clock.hurry();
    await assert.rejects(async () => {
      for (;;) await server.request("hello", {}, { ...soon, timeoutMs: 2_000 }).catch(unlessTimedOut);
    }, /does not accept input/);
    await isGone(server);
  });
});

describe("disposing", () => {
  test("lets it end by itself when its input ends", async () => {
    const { server } = await start(`${greeting} process.stdin.on("end", () => process.exit(0));`);
    const waiting = assert.rejects(server.request("hello", {}, soon), /was closed/);
    await server[Symbol.asyncDispose]();
    await waiting;
    assert.equal(server.alive, false);
    assert.equal(startTimeOf(server.pid), undefined);
  });

  test("ends one that will not, and what it started", async () => {
    const clock = hurriedClock();
    const { server } = await start(
      `${greeting} process.on("SIGTERM", () => {}); setInterval(() => {}, 1000);
      on("child", ({ id }) => { const child = spawn("sleep", ["600"], { stdio: "ignore" }); say({ id, result: child.pid }); });`,
      { clock },
    );
    const child = (await server.request("child", {}, soon)) as number;
    clock.hurry();
    await server[Symbol.asyncDispose]();
    assert.deepEqual([startTimeOf(server.pid), startTimeOf(child)], [undefined, undefined]);
  });

  test("is not needed to kill one that is stopped at once, with what it started", async () => {
    const { server } = await start(
      `${greeting} on("child", ({ id }) => { const child = spawn("sleep", ["600"], { stdio: "ignore" }); say({ id, result: child.pid }); });`,
      { clock: { ...systemClock, sleep: shortSleep } },
    );
    const child = (await server.request("child", {}, soon)) as number;
    process.kill(server.pid, "SIGSTOP");
    const late = AbortSignal.timeout(8_000);
    const tooLong = new Promise((resolve) => late.addEventListener("abort", resolve));
    await Promise.race([server.kill(), tooLong]);
    assert.equal(late.aborted, false, "it was not asked first");
    assert.deepEqual([startTimeOf(server.pid), startTimeOf(child)], [undefined, undefined]);
    assert.equal((await server.gone).reason, "closed");
  });
});

const servers = new AsyncDisposableStack();
after(() => servers.disposeAsync());

/** What every fake can do. */
const prelude = `
import { spawn } from "node:child_process";
const seen = [], handlers = {};
const say = (message) => process.stdout.write(JSON.stringify(message) + "\\n");
const on = (method, handle) => (handlers[method] = handle);
const answer = (method, result) => on(method, ({ id }) => say({ id, result }));
let rest = "";
process.stdin.on("data", (data) => {
  const lines = (rest + data).split("\\n");
  rest = lines.pop();
  for (const line of lines) {
    const message = JSON.parse(line);
    seen.push(message);
    handlers[message.method]?.(message);
  }
});
process.on("uncaughtException", () => process.exit(0));
`;
/** Greets, then does as it likes and reads nothing more. */
const shell = (then: string): Partial<Launch> => ({
  command: "/bin/sh",
  args: ["-c", `read -r line; echo '{"id":1,"result":{"userAgent":"sh"}}'; read -r line; ${then}`],
});

function unlessTimedOut(error: unknown): void {
  if (!(error instanceof RequestTimedOut)) throw error;
}

const greeting = `answer("initialize", { userAgent: "fake/1" });`;

async function start(
  script: string,
  options: Partial<StartOptions> = {},
  how: Partial<Launch> = {},
  started: number[] = [],
  onRegistered: () => void = () => {},
): Promise<{ readonly server: AppServer; readonly forgotten: readonly number[] }> {
  const forgotten: number[] = [];
  const launch: Launch = {
    command: process.execPath,
    args: ["--input-type=module", "-e", prelude + script],
    env: { PATH: process.env["PATH"] ?? "" },
    home: "/nowhere",
    key: "",
    secrets: [],
    ...how,
  };
  const processes = {
    async add({ pid }: { readonly pid: number }) {
      started.push(pid);
      onRegistered();
    },
    remove: async (pid: number) => void forgotten.push(pid),
  };
  const base = { clock: systemClock, processes, signal: patience, optOut: [], clientVersion: "0" };
  return { server: servers.use(await startAppServer(launch, { ...base, ...options })), forgotten };
}

/** It was killed by itself; disposing only waits for that. */
async function isGone(server: AppServer): Promise<void> {
  await server[Symbol.asyncDispose]();
  assert.equal(startTimeOf(server.pid), undefined);
}
