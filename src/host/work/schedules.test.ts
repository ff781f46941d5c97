import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, describe, test } from "node:test";
import { startDemoModel } from "../../../test/fakes/demo-model.ts";
import { parseDemoScript } from "../../../test/fakes/demo-script.ts";
import { send } from "../../../test/owners-host.ts";
import { testFolder } from "../../../test/temp-folder.ts";
import type { Client } from "../../core/calls.ts";
import { listen } from "../../core/client/listening.ts";
import type { Envelope } from "../../core/events.ts";
import { type TurnId, newId } from "../../core/ids.ts";
import { localOwner } from "../../core/principal.ts";
import type { NewSchedule, Occurrence } from "../../core/work/work.ts";
import { systemClock } from "../../lib/clock.ts";
import { openHost } from "../index.ts";

describe("a schedule that needs a yes", () => {
  test("is refused, and says so in its row", async (t) => {
    const it = await world(t);
    const [run] = await it.runs([]);
    assert.partialDeepStrictEqual(run, { state: "refused", delivery: "pending" });
    assert.match(run?.reason ?? "", /needed an approval, and nobody was there to ask: .*touch/);
    assert.equal(existsSync(it.file), false);
  });

  test("does just what was allowed beforehand, and nothing else", async (t) => {
    const it = await world(t);
    const [run] = await it.runs([it.command]);
    assert.equal(run?.state, "ran", run?.reason);
    assert.equal(existsSync(it.file), true);
  });

  test("does not do it when the program is not the one that was allowed", async (t) => {
    const it = await world(t);
    const [run] = await it.runs([it.command], "changed");
    assert.equal(run?.state, "refused");
    assert.equal(existsSync(it.file), false);
  });

  test("does not do another command than the one that was allowed", async (t) => {
    const it = await world(t);
    const [run] = await it.runs([`${it.command}2`]);
    assert.equal(run?.state, "refused");
    assert.equal(existsSync(it.file), false);
  });
});

test("what is allowed beforehand is not allowed anew by a change of something else", async (t) => {
  const it = await world(t);
  await using host = await it.open(false);
  const client = host.as(localOwner("cli"));
  const allow = [it.command];
  await client.call("cron.add", { when: "every 2h", text: "Make it.", name: "it", cwd: it.cwd, allow });
  it.touch = "changed";
  const granted = async (change: Partial<NewSchedule>) =>
    (await client.call("cron.edit", { id: "it", change })).job.allow;
  const bound = (touch: string) => [{ command: it.command, bound: { touch } }];
  assert.deepEqual(await granted({ text: "Make it now." }), bound("as it was"));
  assert.deepEqual(await granted({ allow }), bound("changed"));
});

describe("a schedule with a script", () => {
  const unrestricted = "terminal: {security_mode: unrestricted}\n";

  test("runs it without a model, and its output is the answer", async (t) => {
    const it = await world(t, [], unrestricted);
    const { ran, told } = await scriptRun(it, "echo 4 birds");
    assert.partialDeepStrictEqual(ran, { state: "ran", delivery: "pending" });
    assert.match(told, /"4 birds"/);
    assert.equal(it.requests(), 0);
  });

  test("has failed when that ends with another exit code than 0, and is silent when it says nothing", async (t) => {
    const it = await world(t, [], unrestricted);
    const { ran } = await scriptRun(it, "echo no; exit 3");
    assert.partialDeepStrictEqual(ran, { state: "failed", reason: "The script ended with exit code 3." });
    const other = await world(t, [], unrestricted);
    assert.partialDeepStrictEqual((await scriptRun(other, "true")).ran, { state: "ran", delivery: "silent" });
  });

  test("is refused when its file is not what was allowed", async (t) => {
    const it = await world(t, [], unrestricted);
    const file = join(it.cwd, "count.sh");
    await writeFile(file, "#!/bin/sh\necho 4 birds\n", { mode: 0o700 });
    assert.equal((await scriptRun(it, "count.sh")).ran?.state, "ran");
    const other = await world(t, [], unrestricted);
    const changed = join(other.cwd, "count.sh");
    await writeFile(changed, "#!/bin/sh\necho 4 birds\n", { mode: 0o700 });
    const { ran } = await scriptRun(other, "count.sh", () => writeFile(changed, "#!/bin/sh\ntouch made\n"));
    assert.partialDeepStrictEqual(ran, { state: "refused", delivery: "pending" });
    assert.match(ran?.reason ?? "", /count\.sh is not what it was/);
    assert.equal(existsSync(join(other.cwd, "made")), false);
  });

  test("of a file that is not there is refused, so that nobody makes it later; a command is not", async (t) => {
    const it = await world(t);
    await using host = await it.open(false);
    const client = host.as(localOwner("cli"));
    const wanted = { when: "in 3h", text: "", cwd: it.cwd };
    await client.call("cron.add", { ...wanted, name: "it", script: "df -h" });
    for (const script of ["./later.sh", "later.sh", "sub/later -v", "later.py; true", "'./my later.sh' 1"]) {
      const why = /There is no file .*later.* in .*work that could be read\./;
      await assert.rejects(client.call("cron.add", { ...wanted, name: "other", script }), why, script);
      await assert.rejects(client.call("cron.edit", { id: "it", change: { script } }), why, script);
    }
    const [only, ...more] = await client.call("cron.list", {});
    assert.deepEqual([only?.job.script, more], [{ command: "df -h" }, []]);
  });

  test("is bound to its file also when words stand behind that", async (t) => {
    const it = await world(t, [], unrestricted);
    const file = join(it.cwd, "count.sh");
    await writeFile(file, "#!/bin/sh\necho 4 $1\n", { mode: 0o700 });
    assert.match((await scriptRun(it, "count.sh birds")).told, /"4 birds"/);
    const other = await world(t, [], unrestricted);
    const changed = join(other.cwd, "count.sh");
    await writeFile(changed, "#!/bin/sh\necho 4 $1\n", { mode: 0o700 });
    const { ran } = await scriptRun(other, "./count.sh birds", () => writeFile(changed, "#!/bin/sh\ntrue\n"));
    assert.match(ran?.reason ?? "", /count\.sh is not what it was/);
  });

  test("is made at this machine alone", async (t) => {
    const it = await world(t);
    await using host = await it.open(false);
    const away = host.as({ ...localOwner("web"), local: false, scopes: ["admin"] });
    const wanted = { when: "every 2h", text: "", name: "it", script: "true" };
    await assert.rejects(away.call("cron.add", wanted), /allowed at this machine alone/);
  });
});

test("a schedule's run is told what its skills say, and is tried at once if that is wanted", async (t) => {
  const it = await world(t, [{ when: "Make it", reply: [{ text: "Done." }] }], "", []);
  const folder = join(it.home, "skills", "tea");
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, "SKILL.md"),
    "---\nname: tea\ndescription: How to make tea\n---\nPour slowly.\n",
  );
  await using host = await it.open(true);
  const client = host.as(localOwner("cli"));
  const wanted = { when: "every 2h", text: "Make it.", name: "it", cwd: it.cwd, tryNow: true };
  await assert.rejects(client.call("cron.add", { ...wanted, skills: ["coffee"] }), /no skill coffee/);
  const { tried } = await client.call("cron.add", { ...wanted, skills: ["tea"] });
  const run = await settled(client, tried ?? "");
  assert.equal(run.state, "ran", run.reason);
  const rows = await client.call("sessions.messages", { session: run.session! });
  assert.match(JSON.stringify(rows[0]?.message.content), /Pour slowly\.[^]*Make it\./);
});

test("a limit in USD that cannot count the model is told beside it", async (t) => {
  const status = async (also: string, prices = "") => {
    const it = await world(t, [], also, undefined, prices);
    await using host = await it.open(false);
    return (await host.as(localOwner("cli")).call("work.status", {})).unpriced;
  };
  const limited = "work: {budget: {day: {usd: 5}}}\n";
  assert.match((await status(limited)) ?? "", /^no price of big at mine is known, .*providers\.mine\.prices/);
  assert.equal(await status(limited, ", prices: {big: {input: 1, output: 2}}"), undefined);
  assert.equal(await status("work: {budget: {day: {tokens: 5}}}\n"), undefined);
});

/** One run of it, and what its session has. */
async function scriptRun(it: Awaited<ReturnType<typeof world>>, script: string, then = async () => {}) {
  {
    await using host = await it.open(true);
    const client = host.as(localOwner("cli"));
    const wanted = { when: "every 2h", text: "", name: "it", cwd: it.cwd, script };
    await client.call("cron.add", wanted);
    await then();
    const { run: begun } = await client.call("cron.run", { id: "it" });
    await settled(client, begun.id);
  }
  await using host = await it.open(false);
  const client = host.as(localOwner("cli"));
  const [ran] = await client.call("cron.runs", { limit: 1 });
  const rows = ran?.session && (await client.call("sessions.messages", { session: ran.session }));
  return { ran, told: JSON.stringify(rows ?? []) };
}

/** Resolves with the row when it has ended. */
async function settled(client: Client, id: string): Promise<Occurrence> {
  for (;;) {
    const found = (await client.call("cron.runs", { limit: 20 })).find((run) => run.id === id);
    if (found !== undefined && found.state !== "planned") return found;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test("what came of a schedule is told to whoever types, not to a turn that nobody typed", async (t) => {
  const more = ["One.", "Two."].map((text) => ({ reply: [{ text }] }));
  const quiet = "terminal: {security_mode: unrestricted}\nauxiliary: {title_generation: {enabled: false}}\n";
  const it = await world(t, more, quiet);
  await it.runs([it.command]);
  await using host = await it.open(true, true);
  const client = host.as(localOwner("cli"));
  const delivery = async () => (await client.call("cron.runs", { limit: 1 }))[0]?.delivery;
  const fresh = { id: newId("ses", systemClock.now()), cwd: it.cwd };
  const { session } = await client.call("goals.set", { session: fresh, text: "Reach it", check: "true" });
  const reached = new Promise<void>((resolve) => {
    host.subscribe(session, (event) => {
      if (event.type === "notice" && event.code === "goal") resolve();
    });
  });
  await client.call("goals.resume", { session });
  await reached;
  assert.equal(await delivery(), "pending");
  const key = { surface: "cli", account: "", chat: "" };
  const input = [{ type: "text", text: "hello" }] as const;
  const say = async (messageId: string): Promise<TurnId> => {
    const wish = { key: { ...key, messageId }, session, input, whenBusy: "queue", attended: "none" } as const;
    return (await (
      await send(host, wish)
    ).ended)!.turn;
  };
  await say("1");
  assert.equal(await delivery(), "pending", "nobody was there to see it");
  const told: string[] = [];
  const hear = (event: Envelope): void => void (event.type === "notice" && told.push(event.code));
  const listening = listen(client, session, hear, { onError: (error) => assert.fail(String(error)) });
  await listening.heard(await say("2"));
  listening.leave();
  assert.deepEqual(told, ["work"]);
  assert.equal(await delivery(), "delivered");
});

/** A home on the loop without a sandbox, whose model wants to make a file outside of the folder. */
async function world(
  t: TestContext,
  more: readonly object[] = [],
  also = "",
  before: readonly object[] | undefined = undefined,
  prices = "",
) {
  const folder = await testFolder(t);
  const [home, cwd, outside] = ["home", "work", "outside"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const each of [home, cwd, outside]) await mkdir(each, { mode: 0o700 });
  const file = join(outside, "made");
  const command = `/usr/bin/touch ${file}`;
  const first = [
    { reply: [{ call: { tool: "terminal", args: { command, escalate: true } } }] },
    { reply: [{ text: "Done." }] },
  ];
  const steps = [...(before ?? first), ...more];
  const model = await startDemoModel({ clock: systemClock, script: parseDemoScript({ steps }) });
  t.after(() => model[Symbol.asyncDispose]());
  await writeFile(
    join(home, "config.yaml"),
    `model: {provider: mine, default: big}\nproviders:\n  mine: {api: "${model.url}", protocol: responses${prices}}\n${also}`,
    { mode: 0o600 },
  );
  const env = { PATH: "/usr/bin:/bin", HOME: folder, TALARIA_HOME: home };
  // What is among temporary files can be changed by anybody, so nothing could be allowed there.
  const seams = { tieOf: async () => ({ bound: { touch: it.touch } }) };
  const open = (executor: boolean, longLived = false) =>
    openHost({ env, homeDir: folder, cwd, version: "test", executor, longLived, seams });
  const it = {
    open,
    home,
    requests: () => model.requests.length,
    cwd,
    file,
    command,
    touch: "as it was",
    async runs(allow: readonly string[], then = "as it was"): Promise<readonly Occurrence[]> {
      {
        await using host = await open(true);
        const client = host.as(localOwner("cli"));
        await client.call("cron.add", { when: "every 2h", text: "Make it.", name: "it", cwd, allow });
        it.touch = then;
        await client.call("cron.run", { id: "it" });
        await model.waitForRequest(2);
        await host.drain();
      }
      await using host = await open(false);
      return await host.as(localOwner("cli")).call("cron.runs", { limit: 5 });
    },
  };
  return it;
}
