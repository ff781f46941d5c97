import assert from "node:assert/strict";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { processesOf } from "../codex/codex-talaria.ts";
import { whenChanged } from "../codex/watching.ts";
import { connected } from "../mcp/client.ts";
import { type Talaria, talaria } from "../talaria.ts";
import { endServing, serving } from "./serving.ts";

const list = { todos: [{ id: "1", content: "carry the message", status: "in_progress" }] };
const blue = { action: "accept" as const, content: { answer: "blue" } };

describe("talaria mcp with a host that runs", { concurrency: 2, timeout: 120_000 }, () => {
  test("uses that one: tools, questions, and what a call tells while it runs", async () => {
    await using it = await withoutAsking();
    const host = await serving(it);
    {
      await using us = await connected(it, { args: ["--with-local-tools"], elicit: () => blue });
      assert.ok((await us.names()).includes("clarify"));
      assert.equal((await us.call("clarify", { question: "Which?", choices: ["red", "blue"] })).text, "blue");
      assert.match((await us.call("todo", list)).text, /carry the message/);
      const told: string[] = [];
      const command = "echo first; until [ -e go ]; do sleep 0.05; done; echo last";
      const { text } = await us.call(
        "terminal",
        { command },
        {
          onprogress({ message = "" }) {
            told.push(message);
            if (message.includes("first")) void writeFile(join(it.cwd, "go"), "");
          },
        },
      );
      assert.match(text, /first\nlast/);
      assert.match(told.join(""), /first/);
      assert.equal(us.stderr(), "");
    }
    const { lines } = await it.run(["sessions", "list", "--json"]);
    assert.partialDeepStrictEqual(lines, [{ surface: "mcp", title: "tester", cwd: it.cwd }]);
    assert.equal(lines.length, 1);
    assert.deepEqual(await endServing(host), ["mcp"]);
  });

  test("does not use it where it is told not to, or has other variables, and says only the latter", async () => {
    await using it = await talaria();
    const host = await serving(it);
    for (const [args, env] of [
      [["--no-attach"], {}],
      [[], { TALARIA_ATTACH: "0" }],
    ] as const) {
      await using us = await connected(it, { args, env });
      assert.equal((await us.call("todo", list)).isError, false);
      assert.equal(us.stderr(), "");
    }
    await using other = await connected(it, { env: { CODEX_HOME: "/elsewhere" } });
    assert.equal((await other.call("todo", list)).isError, false);
    assert.match(other.stderr(), /not attached .*CODEX_HOME is not the same here/);
    assert.deepEqual(await endServing(host), []);
  });

  test("is stopped there when it is cancelled, and when the other program leaves", async () => {
    await using it = await withoutAsking();
    const host = await serving(it);
    const us = await connected(it, { args: ["--with-local-tools"] });
    const stop = new AbortController();
    const cancelled = us.call("terminal", { command: endless }, { signal: stop.signal });
    await begun(it, 1);
    stop.abort();
    await assert.rejects(cancelled);
    await gone(it, /sleep 6175/);
    const left = us.call("terminal", { command: endless }).catch(() => {});
    await begun(it, 2);
    await us[Symbol.asyncDispose]();
    await left;
    await gone(it, /sleep 6175/);
    assert.deepEqual(await endServing(host), ["mcp"]);
  });

  test("goes on without it in the same session; what nobody can say of a call is said", async () => {
    await using it = await withoutAsking();
    const host = await serving(it);
    await using us = await connected(it, { args: ["--with-local-tools"] });
    assert.ok((await us.names()).includes("todo"));
    await us.call("todo", list);
    const cut = us.call("terminal", { command: endless });
    await begun(it, 1);
    host.signal("SIGKILL");
    const { text, isError } = await cut;
    assert.match(text, /^The host that ran terminal went away during it, and nobody can say/);
    assert.equal(isError, true);
    assert.match((await us.call("todo")).text, /carry the message/, "the same session");
    assert.match(us.stderr(), /The host that ran this has gone\. Going on without it\./);
    assert.equal((await it.run(["sessions", "list", "--json"])).lines.length, 1);
    await gone(it, /sleep 6175/);
  });
});

/** A command that does not end by itself, and leaves a file each time. */
const endless = "sleep 6175 & touch begun$(ls | grep -c begun); wait";

const begun = (it: Talaria, count: number): Promise<void> =>
  whenChanged(
    it.cwd,
    async () => (await readdir(it.cwd)).filter((name) => name.startsWith("begun")).length >= count,
  );

/** Resolves when nothing like that of it runs any more. How long that may take is the test's to say. */
async function gone(it: Talaria, what: RegExp): Promise<void> {
  while ((await processesOf(it)).some((process) => what.test(process)));
}

async function withoutAsking(): Promise<Talaria> {
  const it = await talaria();
  await mkdir(it.home, { recursive: true, mode: 0o700 });
  await writeFile(join(it.home, "config.yaml"), 'approvals: { mode: "off" }\n', { mode: 0o600 });
  return it;
}
