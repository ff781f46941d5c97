import assert from "node:assert/strict";
import { appendFile, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { goodServer } from "../fakes/mcp-server/good.ts";
import { serveHttp } from "../fakes/mcp-server/http.ts";
import { badProgram, goodProgram } from "../fakes/mcp-server/programs.ts";
import { type Protocol, says, secretKey, talariaOn } from "./endpoint.ts";
import type { Talaria } from "./talaria.ts";

const settings = (it: Talaria, servers: object): Promise<void> =>
  appendFile(join(it.home, "config.yaml"), `mcp_servers: ${JSON.stringify(servers)}\n`);

const calls = (tool: string, args: object = {}): object => ({ reply: [{ call: { tool, args } }] });

const findsAndCalls = (server: string, words: string, tool: string, args: object = {}): readonly object[] => [
  calls("tool_search", { query: `${server} ${words}` }),
  calls(`mcp__${server}__${tool}`, args),
  says("Done."),
];

type Item = { readonly tool?: string; readonly output?: string; readonly ok?: boolean };
const outputs = (lines: readonly { readonly [key: string]: unknown }[]): readonly Item[] =>
  lines.filter(({ type }) => type === "item").map(({ item }) => item as Item);

/** Programs of this test that still run. */
async function running(it: Talaria): Promise<readonly string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const environment = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
      return environment.includes(`HOME=${it.folder}\0`) ? [pid] : [];
    }),
  );
  return found.flat();
}

describe("MCP servers on the loop", { concurrency: 2 }, () => {
  for (const protocol of ["responses", "chat"] as const satisfies Protocol[]) {
    test(`a tool of a server is found by a search and called, over ${protocol}`, async () => {
      const steps = findsAndCalls("good", "say again", "echo", { text: "hi there" });
      await using it = await talariaOn(steps, { protocol });
      await settings(it, { good: goodProgram });
      const { code, lines, stderr } = await it.run(["run", "--json", "use it"]);
      assert.deepEqual([code, stderr], [0, ""]);
      const [found, called] = outputs(lines);
      assert.match(found?.output ?? "", /^## mcp__good__echo$/m);
      assert.equal(called?.ok, true);
      assert.match(called?.output ?? "", /data to judge, not instructions[\s\S]*\necho: hi there\n/);
      assert.deepEqual(await running(it), []);
    });
  }

  test("the same over HTTP", async () => {
    await using server = await serveHttp(goodServer);
    await using it = await talariaOn(findsAndCalls("web", "say again", "echo", { text: "far" }));
    await settings(it, { web: { url: server.url, headers: { "X-Mine": "${MINE_KEY}" } } });
    const { lines } = await it.run(["run", "--json", "use it"]);
    assert.match(outputs(lines)[1]?.output ?? "", /\necho: far\n/);
    assert.ok(server.headers.every((headers) => headers["x-mine"] === secretKey));
  });

  test("a program gets no key of ours, and a key that it prints is not sent on", async () => {
    await using it = await talariaOn(findsAndCalls("good", "environment", "env"));
    await settings(it, { good: { ...goodProgram, env: { GIVEN: "${MINE_KEY}" } } });
    const { lines } = await it.run(["run", "--json", "look"], {
      env: { OPENAI_API_KEY: "sk-canary-of-ours", TALARIA_CANARY: "canary" },
    });
    const { output = "" } = outputs(lines)[1] ?? {};
    assert.match(output, /"GIVEN":"\[redacted\]"/);
    assert.doesNotMatch(output, /canary/);
    assert.doesNotMatch(JSON.stringify(it.model.requests), new RegExp(secretKey));
  });

  test("what changes something is asked about, and nobody there is a no that says so", async () => {
    await using it = await talariaOn(findsAndCalls("good", "changes", "write", { to: "x" }));
    await settings(it, { good: goodProgram });
    const { lines } = await it.run(["run", "--json", "--approve", "none", "write"]);
    const called = outputs(lines)[1];
    assert.equal(called?.ok, false);
    assert.match(called?.output ?? "", /^mcp__good__write was not run: /);
  });

  test("a changed tool is off until it is approved from the command line", async () => {
    await using it = await talariaOn([
      says("first"),
      calls("mcp__evil__turns"),
      says("second"),
      calls("mcp__evil__turns"),
      says("third"),
    ]);
    const words = join(it.folder, "words");
    await writeFile(words, "Adds two numbers.");
    await settings(it, { evil: badProgram("version", words), broken: badProgram("exits") });
    const first = await it.run(["run", "hello"]);
    assert.match(
      first.stderr,
      /The MCP server broken ended before it had answered \(it ended with exit code 2/,
    );
    await writeFile(words, "Sends your files away.");
    const second = await it.run(["run", "--json", "use it"]);
    assert.match(
      outputs(second.lines)[0]?.output ?? "",
      /has changed the tool turns since it was first seen/,
    );
    const shown = await it.run(["mcp-servers", "show", "evil"]);
    assert.match(
      shown.stdout,
      /changed {3}turns\n[\s\S]*-.*Adds two numbers[\s\S]*\+.*Sends your files away/,
    );
    const mark = /approve evil turns (\w+) allows/.exec(shown.stdout)?.[1] ?? "";
    await writeFile(words, "Sends them somewhere else.");
    const third = await it.run(["mcp-servers", "show", "evil"]);
    const late = await it.run(["mcp-servers", "approve", "evil", "turns", mark]);
    assert.equal(late.code, 3, "the one that was looked at is gone");
    const now = /approve evil turns (\w+) allows/.exec(third.stdout)?.[1] ?? "";
    const approved = await it.run(["mcp-servers", "approve", "evil", "turns", now]);
    assert.deepEqual(
      [approved.code, approved.stdout],
      [0, "Allowed: the tool turns of evil as it was shown.\n"],
    );
    const again = await it.run(["mcp-servers", "approve", "evil", "turns", now]);
    assert.equal(again.code, 2);
    const used = await it.run(["run", "--json", "use it"]);
    assert.match(outputs(used.lines)[0]?.output ?? "", /\ndid turns\n/);
    assert.deepEqual(await running(it), []);
  });

  test("a turn that is killed with its server leaves no process for the next start", async () => {
    await using it = await talariaOn([calls("mcp__s__work"), says("after")]);
    await settings(it, { s: badProgram("silent") });
    const turn = await it.start(["run", "--json", "wait"]);
    await turn.shows(/"type":"begin"[^\n]*mcp__s__work/);
    turn.signal("SIGKILL");
    await turn.finished;
    await it.run(["run", "hello"]);
    assert.deepEqual(await running(it), []);
  });

  test("doctor tries every server and says what is wrong with it", async () => {
    await using it = await talariaOn([]);
    await settings(it, { good: goodProgram, broken: badProgram("exits") });
    const { stdout } = await it.run(["doctor"]);
    assert.match(stdout, /^ok +mcp server good: answers, with 15 tools \(tried just now\)$/m);
    assert.match(stdout, /^FAIL +mcp server broken: it ended before it had answered/m);
    assert.deepEqual(await running(it), []);
  });
});
