import assert from "node:assert/strict";
import { appendFile, mkdir, stat } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, test } from "node:test";
import { says, talariaOn } from "../endpoint.ts";
import { runs, talariaOnCodex } from "../codex/codex-talaria.ts";
import { talaria } from "../talaria.ts";
import { endServing, serving } from "./serving.ts";

const prints = (what: string): object => ({
  reply: [{ call: { tool: "terminal", args: { command: `echo "$${what}"` } } }],
});

describe("attaching to a host", { concurrency: 2 }, () => {
  test("one home has one host; it says who runs, and ends with nothing left", async () => {
    await using it = await talaria();
    assert.equal((await it.run(["serve", "--status"])).code, 1);
    const host = await serving(it, {}, "--port 0");
    const second = await it.run(["serve"]);
    assert.equal(second.code, 3);
    assert.match(second.stderr, /runs already in this home \(pid \d+ on .*\)/);
    const { code, stdout } = await it.run(["serve", "--status"]);
    assert.equal(code, 0);
    assert.match(stdout, /^serving · 0 sessions run · 0 questions wait · 0 attached · up \d+ s\npid \d+, /);
    const door = /listens at (http:\S+)/.exec(stdout)?.[1];
    const link = await it.run(["open"]);
    assert.ok(link.stdout.startsWith(`${door}/#code=`), `${link.stdout} is at ${door}`);
    assert.equal(((await stat(join(it.home, "run", "serve.sock"))).mode & 0o777).toString(8), "600");
    assert.equal(((await stat(join(it.home, "run", "serve.json"))).mode & 0o777).toString(8), "600");
    assert.equal(((await stat(join(it.home, "run"))).mode & 0o777).toString(8), "700");
    host.signal("SIGTERM");
    assert.equal((await host.finished).code, 0);
    await assert.rejects(stat(join(it.home, "run", "serve.sock")));
    await assert.rejects(stat(join(it.home, "run", "serve.json")));
  });

  test("the place of a killed host is taken at once", async () => {
    await using it = await talaria();
    const first = await serving(it);
    first.signal("SIGKILL");
    await first.finished;
    assert.equal((await it.run(["serve", "--status"])).code, 1);
    const second = await serving(it);
    assert.equal((await it.run(["serve", "--status"])).code, 0);
    assert.deepEqual(await endServing(second), []);
  });

  test("who has other settings, variables or a wish of their own works alone, and hears why", async () => {
    await using it = await talariaOn([says("1"), says("2"), says("3"), says("4")]);
    const host = await serving(it);
    const wish = await it.run(["run", "--no-attach", "hello"]);
    assert.deepEqual([wish.code, wish.stderr], [0, ""]);
    const unattached = await it.run(["run", "hello"], { env: { TALARIA_ATTACH: "0" } });
    assert.deepEqual([unattached.code, unattached.stderr], [0, ""]);
    const other = await it.run(["run", "hello"], { env: { HTTPS_PROXY: "", MINE_KEY: "another" } });
    assert.match(
      other.stderr,
      /not attached to the host that serves this home \(pid \d+\): MINE_KEY is not the same here/,
    );
    await appendFile(join(it.home, "config.yaml"), "display: { bell: true }\n");
    const changed = await it.run(["run", "hello"]);
    assert.match(changed.stderr, /the settings have changed since it was started/);
    assert.deepEqual([other.code, changed.code], [0, 0]);
    assert.deepEqual(await endServing(host), []);
  });

  test("commands of an attended turn see the terminal it was typed in, those of another one what a login has", async () => {
    const script = [prints("WHERE"), says("a"), prints("WHERE"), says("b"), prints("MY_TOKEN"), says("c")];
    await using it = await talariaOn(script);
    const host = await serving(it, { WHERE: "in the service" });
    const env = { WHERE: "in my terminal", MY_TOKEN: "no-command-sees-it" };
    await it.run(["run", "--approve", "all", "one"], { env });
    await it.run(["run", "--approve", "none", "two"], { env });
    await it.run(["run", "--approve", "all", "three"], { env });
    const told = it.model.requests.map(({ body }) => JSON.stringify(body["input"]));
    assert.match(told[1] ?? "", /in my terminal/);
    assert.doesNotMatch(told[3] ?? "", /in my terminal|in the service/);
    assert.doesNotMatch(told[5] ?? "", /no-command-sees-it/);
    assert.deepEqual(await endServing(host), ["cli", "cli", "cli"]);
  });

  test("on codex, too, commands see the terminal and the folder of whoever typed", async () => {
    const look = { reply: [runs('echo "$WHERE in $PWD, $MY_TOKEN"')] };
    await using it = await talariaOnCodex([look, says("a"), look, says("b")]);
    const host = await serving(it, { WHERE: "in the service" });
    const typed = ["run", "--runtime", "codex", "--approve", "all"];
    for (const [place, more] of [
      ["here", []],
      ["there", ["--continue"]],
    ] as const) {
      const env = { WHERE: place, MY_TOKEN: "no-command-sees-it" };
      assert.equal((await it.run([...typed, ...more, "look"], { env })).code, 0);
    }
    const told = it.model.requests.map(({ body }) => JSON.stringify(body["input"]));
    assert.ok(told[1]?.includes(`here in ${it.cwd}, `), told[1]);
    assert.ok(told[3]?.includes(`there in ${it.cwd}, `), told[3]);
    assert.doesNotMatch(told.join(""), /no-command-sees-it|in the service/);
    assert.deepEqual(await endServing(host), ["cli", "cli"]);
  });

  test("a host that hangs is named, with what to do, and the message is answered without it", async () => {
    await using it = await talariaOn([says("Alone.")]);
    const host = await serving(it);
    host.signal("SIGSTOP");
    const [status, alone] = await Promise.all([it.run(["serve", "--status"]), it.run(["run", "hello"])]);
    assert.equal(status.code, 3);
    assert.match(status.stderr, /serves this home \(pid \d+\) and does not answer.*\n.*kill -9 \d+/);
    assert.match(
      alone.stderr,
      /not attached .*it does not answer\. End it if it does not come back: kill -9 \d+/,
    );
    assert.deepEqual([alone.code, alone.stdout], [0, "Alone.\n"]);
    host.signal("SIGCONT");
    assert.deepEqual(await endServing(host), []);
  });

  test("a home with a long path is served by a short way to it", async () => {
    await using it = await talaria();
    const home = join(it.folder, "a".repeat(100), "home");
    await mkdir(home, { recursive: true, mode: 0o700 });
    const env = { TALARIA_HOME: home };
    const host = await serving(it, env);
    const { code, stderr } = await it.run(["run", "hello"], { env });
    assert.deepEqual([code, stderr], [0, ""]);
    assert.equal((await stat(join(home, "run", "serve.sock"))).isSocket(), true);
    assert.deepEqual(await endServing(host), ["cli"]);
  });

  test("without the token nothing is answered but the version and the wish for a session", async () => {
    await using it = await talaria();
    const host = await serving(it);
    const path = join(it.home, "run", "serve.sock");
    const asked = [
      { method: "call", params: { name: "sessions.list", input: { limit: 1 } } },
      { method: "open", params: { stream: 1, name: "events.follow", input: { of: "all" } } },
      { method: "status" },
      { method: "hello", params: { protocol: 1, schema: 1, token: "x".repeat(43), surface: "cli" } },
      { method: "version" },
      { method: "release", params: { session: "ses_nothing" } },
    ];
    const answers = await answersOf(path, asked);
    assert.deepEqual(
      answers.map((answer) => ("error" in answer ? "refused" : "answered")),
      ["refused", "refused", "refused", "refused", "answered", "answered"],
    );
    assert.deepEqual(await endServing(host), []);
  });
});

async function answersOf(path: string, asked: readonly object[]): Promise<readonly object[]> {
  const socket = connect(path);
  socket.write(asked.map((one, id) => `${JSON.stringify({ id, ...one })}\n`).join(""));
  let text = "";
  for await (const chunk of socket) {
    text += String(chunk);
    if (text.split("\n").length > asked.length) break;
  }
  const answers = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { id: number });
  return answers.toSorted((a, b) => a.id - b.id);
}
