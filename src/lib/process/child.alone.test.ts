import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { chmod, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { newFolder } from "../../../test/temp-folder.ts";
import { fakeClock } from "../../../test/fakes/fake-clock.ts";
import { ChildInputError } from "./child-pipes.ts";
import { type Child, type SpawnOptions, spawnChild } from "./child.ts";
import { systemClock } from "../clock.ts";
import { lines } from "../rpc/jsonl.ts";
import { isAlive, startTimeOf } from "./process-identity.ts";
import { SpawnError } from "./spawn-error.ts";

/** In the environment of every process that these tests start, to find those that were left. */
const marker = `CHILD_TEST=${randomUUID()}`;
let folder: string;
before(async () => {
  folder = await newFolder();
});
after(async () => {
  await rm(folder, { recursive: true, force: true });
  assert.deepEqual(await processesWith(marker), [], "no process is left");
});

describe("a child", () => {
  test("gets the given environment and nothing else, and leads its own group in the given folder", async () => {
    const { child } = await start({ command: "/bin/sh", args: ["-c", "pwd; exec env"] });
    const [cwd, ...env] = await Array.fromAsync(lines(child.stdout));
    assert.equal(cwd, folder);
    const names = env
      .map((line) => line.replace(/=.*/, ""))
      .filter((name) => !["PWD", "_", "SHLVL"].includes(name));
    assert.deepEqual(names.toSorted(), ["CHILD_TEST", "PATH"]);
    await child.kill();
  });

  test("is registered, alive, before the caller can write to it, and forgotten when it is gone", async () => {
    const gate = Promise.withResolvers<void>();
    const { registry, rows } = recordingRegistry();
    let returned = false;
    const spawned = spawnChild({
      ...options("cat"),
      registry: {
        ...registry,
        async add(row) {
          assert.ok(isAlive(row));
          await gate.promise;
          await registry.add(row);
        },
      },
    }).then((child) => ((returned = true), child));
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(returned, false);
    gate.resolve();
    const child = await spawned;
    assert.deepEqual(rows(), [`${child.pid} ${child.startTime} test`]);
    await child.kill();
    assert.deepEqual(rows(), []);
  });

  test("that ends before it is registered is forgotten all the same", async () => {
    const { registry, rows } = recordingRegistry();
    const add: SpawnOptions["registry"]["add"] = async (row) => {
      while (isAlive(row)) await systemClock.sleep(1, undefined, { hold: true });
      await systemClock.sleep(20, undefined, { hold: true });
      await registry.add(row);
    };
    const child = await spawnChild({ ...options("exit 0"), registry: { ...registry, add } });
    await child.kill();
    assert.deepEqual(rows(), []);
  });

  test("that cannot be registered is not left running", async () => {
    let pid = 0;
    const registry = {
      add: async (row: { readonly pid: number }) => {
        pid = row.pid;
        throw new Error("disk full");
      },
      remove: async () => {},
    };
    await assert.rejects(spawnChild({ ...options("sleep 600"), registry }), /disk full/);
    assert.equal(startTimeOf(pid), undefined);
  });

  test("that ends settles everything: exit, output, input, registry", async () => {
    const { child, rows } = await start("echo out; echo why it failed >&2; exit 3");
    assert.deepEqual(await Array.fromAsync(lines(child.stdout)), ["out"]);
    assert.deepEqual(await child.exited, {
      code: 3,
      signal: null,
      stderrTail: "why it failed\n",
      stderrCut: false,
    });
    await assert.rejects(
      child.write("hello"),
      (error) => error instanceof ChildInputError && error.reason === "closed",
    );
    await child.kill();
    assert.deepEqual(rows(), []);
  });

  test("that is killed by somebody else tells the signal", async () => {
    const { child } = await start("echo ready; exec sleep 600");
    await firstLine(child);
    process.kill(child.pid, "SIGKILL");
    assert.partialDeepStrictEqual(await child.exited, { code: null, signal: "SIGKILL" });
  });

  test("that ends at once is still a child that ended", async () => {
    const ends = Array.from({ length: 5 }, async () => {
      const { child } = await start({ command: "true", args: [] });
      return (await child.exited).code;
    });
    assert.deepEqual(await Promise.all(ends), [0, 0, 0, 0, 0]);
  });
});

describe("stderr", () => {
  test("of 20 MiB is drained, keeps its tail, and does not hold up stdout", async () => {
    const { child } = await start(
      "head -c 20971520 /dev/zero | tr '\\0' x >&2; echo the end >&2; echo done; exec sleep 600",
    );
    assert.equal(await firstLine(child), "done");
    await child.kill();
    const { stderrTail, stderrCut } = await child.exited;
    assert.ok(stderrTail.endsWith("xxxthe end\n"));
    assert.equal(Buffer.byteLength(stderrTail), 64 * 1024);
    assert.ok(stderrCut);
  });

  test("is complete in the exit, also of a child that writes much and ends at once", async () => {
    const tails = Array.from({ length: 8 }, async () => {
      const { child } = await start("head -c 60000 /dev/zero | tr '\\0' x >&2; echo the end >&2; exit 1");
      return (await child.exited).stderrTail;
    });
    for (const tail of await Promise.all(tails)) assert.equal(tail, `${"x".repeat(60_000)}the end\n`);
  });
});

describe("stdin", () => {
  test("keeps the order of what is written, and its end reaches the child", async () => {
    const { child } = await start("exec cat");
    void child.write("one\n");
    void child.write("two\n");
    assert.equal(child.closeInput(), true);
    assert.deepEqual(await Array.fromAsync(lines(child.stdout)), ["one", "two"]);
    assert.equal(child.closeInput(), false);
    assert.equal((await child.exited).code, 0);
  });

  test("that is never read takes a bounded amount, then says so; the end settles what waits", async () => {
    const { child } = await start("exec sleep 600");
    const mebibyte = "x".repeat(1024 * 1024);
    const writes = Array.from({ length: 6 }, () => child.write(mebibyte));
    const settled = Promise.allSettled(writes);
    await assert.rejects(writes[5]!, (error) => {
      assert.ok(error instanceof ChildInputError && error.reason === "full");
      assert.match(error.message, /does not read its input/);
      return true;
    });
    await child.kill();
    const reasons = (await settled).map((result) =>
      result.status === "rejected" ? result.reason.reason : "written",
    );
    assert.deepEqual(reasons, ["closed", "closed", "closed", "closed", "full", "full"]);
  });

  test("takes one text of any size if the child reads it", async () => {
    const { child } = await start("exec wc -c");
    await child.write("x".repeat(9 * 1024 * 1024));
    child.closeInput();
    assert.equal((await firstLine(child)).trim(), String(9 * 1024 * 1024));
  });

  test("that the child has closed gives an error and does no harm", async () => {
    const { child } = await start("exec 0<&-; echo closed; exec sleep 600");
    await firstLine(child);
    await assert.rejects(child.write("hello\n"), ChildInputError);
    await assert.rejects(child.write("again\n"), ChildInputError);
    await child.kill();
  });
});

describe("kill", () => {
  test("lets a child that ends with its input end by itself", async () => {
    const { child } = await start("cat; echo bye >&2; exit 7", { grace: patient });
    await child.kill();
    assert.partialDeepStrictEqual(await child.exited, { code: 7, signal: null, stderrTail: "bye\n" });
  });

  test("waits, asks with SIGTERM, waits, and forces", async () => {
    const clock = fakeClock();
    const { child, rows } = await start("trap 'echo asked' TERM; echo ready; while :; do sleep 0.01; done", {
      clock,
      grace: {},
    });
    const out = lines(child.stdout);
    await out.next();
    const killed = child.kill();
    await clock.advance(499);
    assert.ok(isAlive(child));
    await clock.advance(1);
    assert.equal((await out.next()).value, "asked");
    await clock.advance(1_999);
    assert.ok(isAlive(child));
    await clock.advance(1);
    assert.equal((await child.exited).signal, "SIGKILL");
    await settling(killed, clock);
    assert.deepEqual(rows(), []);
  });

  test("ends a stopped child too", async () => {
    const { child } = await start("echo ready; exec sleep 600", { grace: { inputMs: 1, termMs: 1 } });
    await firstLine(child);
    process.kill(child.pid, "SIGSTOP");
    await child.kill();
    // On a busy machine the polite signal comes before the stop has taken effect.
    assert.match((await child.exited).signal ?? "", /^SIG(?:KILL|TERM)$/);
  });

  test("ends the whole tree: the group, and who left it with a session of its own", async () => {
    const { child, rows } = await start(
      "sleep 600 & echo $!; setsid sh -c 'trap \"\" TERM; echo $$; sleep 600; sleep 600' & wait",
      { grace: { inputMs: 1, termMs: 50 } },
    );
    const out = lines(child.stdout);
    const pids = [Number((await out.next()).value), Number((await out.next()).value)];
    for (const pid of pids) assert.ok(startTimeOf(pid));
    await child.kill();
    for (const pid of [...pids, child.pid]) assert.equal(startTimeOf(pid), undefined);
    assert.deepEqual(rows(), []);
  });

  test("ends who left the group, even if the child itself goes with its input", async () => {
    const { child } = await start("setsid sh -c 'echo $$; exec sleep 600' & cat", { grace: patient });
    const left = Number(await firstLine(child));
    await child.kill();
    assert.equal((await child.exited).code, 0);
    assert.equal(startTimeOf(left), undefined);
  });

  test("is the same when called twice, and after the end", async () => {
    const { child } = await start("exec sleep 600");
    await Promise.all([child.kill(), child.kill()]);
    await child.kill();
  });

  test("comes with an abort of the signal, and with disposal", async () => {
    const stop = new AbortController();
    const { child } = await start("exec sleep 600", { signal: stop.signal });
    stop.abort();
    assert.equal((await child.exited).signal, "SIGTERM");
    let disposed: Child;
    {
      await using other = (await start("exec sleep 600")).child;
      disposed = other;
    }
    assert.ok(!isAlive(disposed));
  });

  test("rejects if the registry cannot forget, and the child is gone all the same", async () => {
    const registry = { add: async () => {}, remove: () => Promise.reject(new Error("disk full")) };
    const { child } = await start("exit 0", { registry });
    await child.exited;
    await assert.rejects(child.kill(), /disk full/);
  });

  test("an aborted signal starts nothing", async () => {
    const signal = AbortSignal.abort(new Error("stopped"));
    await assert.rejects(start("exec sleep 600", { signal }), /stopped/);
  });
});

describe("what a child leaves behind", () => {
  test("in its group is ended with it", async () => {
    const { child, rows } = await start("sleep 600 & echo $!; exit 0");
    const left = Number(await firstLine(child));
    assert.equal((await child.exited).code, 0);
    await child.kill();
    assert.equal(startTimeOf(left), undefined);
    assert.deepEqual(rows(), []);
  });

  test("with its pipes open outside the group does not keep the exit or the output from ending", async () => {
    const { child } = await start("setsid sh -c 'echo $$; exec sleep 600' & read -r go; exit 0");
    const out = lines(child.stdout);
    const escaped = Number((await out.next()).value);
    try {
      await child.write("go\n");
      assert.equal((await out.next()).done, true);
      assert.equal((await child.exited).code, 0);
    } finally {
      await end(escaped);
    }
  });

  test("writing without end outside the group does not keep the output from ending", async () => {
    const { child } = await start("setsid sh -c 'echo $$; exec yes' & read -r go; exit 0");
    let said = "";
    for await (const chunk of child.stdout) {
      if (said.includes("\ny")) continue;
      said += Buffer.from(chunk).toString();
      if (said.includes("\ny")) await child.write("go\n");
    }
    await end(Number(said.split("\n")[0]));
  });
});

describe("a program that cannot start", () => {
  const cases: readonly (readonly [string, () => Partial<SpawnOptions>, string, RegExp])[] = [
    [
      "is not in the PATH",
      () => ({ command: "no-such-program" }),
      "ENOENT",
      /no-such-program.*PATH.*Install it/,
    ],
    ["has a wrong path", () => ({ command: "/no/such" }), "ENOENT", /\/no\/such: there is no such file/],
    ["may not be run", () => ({ command: join(folder, "plain") }), "EACCES", /plain: .*chmod \+x/],
    [
      "is below a file",
      () => ({ command: join(folder, "plain", "x") }),
      "ENOTDIR",
      /is a file, not a folder/,
    ],
    ["has no folder to run in", () => ({ cwd: "/no/such" }), "ENOENT", /working directory \/no\/such/],
  ];
  for (const [name, overrides, code, message] of cases)
    test(`because it ${name} says so`, async () => {
      await writeFile(join(folder, "plain"), "#!/bin/sh\n");
      await chmod(join(folder, "plain"), 0o644);
      await assert.rejects(spawnChild({ ...options("true"), ...overrides() }), (error) => {
        assert.ok(error instanceof SpawnError);
        assert.equal(error.code, code);
        assert.match(error.message, message);
        return true;
      });
    });
});

const options = (script: string): SpawnOptions => ({
  command: "/bin/sh",
  args: ["-c", script],
  cwd: folder,
  env: { PATH: process.env["PATH"]!, CHILD_TEST: marker.split("=")[1]! },
  kind: "test",
  registry: recordingRegistry().registry,
  clock: systemClock,
  grace: { inputMs: 100 },
});

/** For children that end by themselves, on a slow machine too. */
const patient = { inputMs: 10_000 };

async function start(what: string | Partial<SpawnOptions>, overrides: Partial<SpawnOptions> = {}) {
  const { registry, rows } = recordingRegistry();
  const given = typeof what === "string" ? options(what) : { ...options("true"), ...what };
  const child = await spawnChild({ ...given, registry, ...overrides });
  return { child, rows };
}

function recordingRegistry() {
  const rows = new Set<string>();
  const registry: SpawnOptions["registry"] = {
    async add({ pid, startTime, kind }) {
      rows.add(`${pid} ${startTime} ${kind}`);
    },
    async remove(pid, startTime) {
      for (const row of rows) if (row.startsWith(`${pid} ${startTime} `)) rows.delete(row);
    },
  };
  return { registry, rows: () => [...rows] };
}

async function end(pid: number): Promise<void> {
  process.kill(pid, "SIGKILL");
  while (startTimeOf(pid) !== undefined) await systemClock.sleep(1, undefined, { hold: true });
}

const firstLine = async (child: Child): Promise<string> => (await lines(child.stdout).next()).value ?? "";

/** Moves the clock until the promise settles: how many polls that takes is up to the system. */
async function settling(promise: Promise<void>, clock: ReturnType<typeof fakeClock>): Promise<void> {
  const settled = new AbortController();
  void promise.finally(() => settled.abort());
  while (!settled.signal.aborted) await clock.advance(10);
  await promise;
}

async function processesWith(variable: string): Promise<string[]> {
  if (process.platform !== "linux") return [];
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name) && startTimeOf(Number(name)));
  const environments = await Promise.all(
    pids.map(async (pid) => [pid, await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "")] as const),
  );
  return environments.filter(([, env]) => env.split("\0").includes(variable)).map(([pid]) => pid);
}
