import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { Choice, Question } from "../../../core/asking.ts";
import { portsOf, turnOf } from "../../runtime.suite.ts";
import type { Message } from "../../../core/messages.ts";
import type { Ports } from "../../runtime.ts";
import { suiteRuntime } from "../codex.suite.ts";
import { type RealBinary, type RealPlace, patience, realPlace, root } from "../real-codex.suite.ts";

/** How a model calls: tool by tool, or all of it in a program that it writes; `uncoded`: on a codex that knows no such model. */
export type ModelKind = "classic" | "code" | "uncoded";

const models: Readonly<Record<ModelKind, string>> = {
  classic: "gpt-5.5",
  code: "gpt-6.1-sol",
  uncoded: "gpt-6.1-sol",
};

/** After a yes for the session codex still asks before anything else is done, and before the same again. */
export function exactYesSuite(name: string, binary: RealBinary, kinds: readonly ModelKind[]): void {
  for (const kind of kinds) {
    describe(`a yes for the session on ${name}, ${kind}`, { timeout: 120_000 }, () => {
      test("to an MCP tool is asked for again with every call, arguments and all", async () => {
        await using it = await world(binary, kind, [
          acts(kind, "a"),
          acts(kind, "/etc/passwd"),
          acts(kind, "a"),
        ]);
        const asked = [await it.turn("session"), await it.turn("deny"), await it.turn("once")].flat();
        assert.deepEqual(
          asked.map(({ tool, args }) => [tool, args]),
          ["a", "/etc/passwd", "a"].map((path) => [
            "mcp.wire",
            { server: "wire", message: 'Allow the wire MCP server to run tool "act"?', arguments: { path } },
          ]),
        );
        assert.deepEqual(await it.acted(), ["a", "a"]);
      });

      test("to a command that runs a script is asked for again after it was rewritten", async () => {
        const command = runs(kind, "bash s.sh", true);
        await using it = await world(binary, kind, [command, command]);
        await it.write("s.sh", `echo good >> ${it.log}\n`);
        const first = await it.turn("session");
        await it.write("s.sh", `echo evil >> ${it.log}\n`);
        const second = await it.turn("deny");
        const words = [...first, ...second].map(({ action }) => action.kind === "command" && action.command);
        assert.equal(words.length, 2);
        for (const each of words) assert.match(String(each), /bash s\.sh/);
        assert.deepEqual(await it.acted(), ["good"]);
      });

      test("to a command inside the folder is asked for again", async () => {
        const command = runs(kind, "rm -f bait", false);
        await using it = await world(binary, kind, [command, command]);
        for (const choice of ["session", "deny"] as const) {
          await it.write("bait", "keep me\n");
          assert.equal((await it.turn(choice)).length, 1, choice);
        }
        assert.equal(await readFile(join(it.real.work, "bait"), "utf8"), "keep me\n");
      });
    });
  }
}

type Fixture = AsyncDisposable & {
  readonly real: RealPlace;
  readonly log: string;
  write(name: string, text: string): Promise<void>;
  /** What was done, in order. */
  acted(): Promise<readonly string[]>;
  /** The next turn of the same thread, with this answer to whatever is asked. What was asked. */
  turn(choice: Choice): Promise<readonly Question[]>;
};

/** `steps`: what the model does, a turn each. */
async function world(
  { path, version }: RealBinary,
  kind: ModelKind,
  steps: readonly (readonly object[])[],
): Promise<Fixture> {
  await using opened = new AsyncDisposableStack();
  const replies = steps.flatMap((step) => [
    ...step.map((part) => ({ reply: [part] })),
    { reply: [{ text: "Well." }] },
  ]);
  const real = opened.use(await realPlace(path, replies));
  const log = join(real.home, "acted");
  await writeFile(log, "");
  await writeFile(
    join(real.home, "config.toml"),
    `[mcp_servers.wire]
command = "${process.execPath}"
args = ["${join(root, "test/fakes/mcp-wire.mjs")}"]
env = { WIRE_FILE = "${log}" }
`,
  );
  const runtime = opened.use(suiteRuntime(real.launch({ version, model: models[kind] }), models[kind]));
  const ports: Ports = portsOf([], patience);
  const turn = { ...turnOf({}), cwd: real.work };
  const history: Message[] = [];
  const kept = opened.move();
  return {
    real,
    log,
    write: (name, text) => writeFile(join(real.work, name), text),
    acted: async () => (await readFile(log, "utf8")).split("\n").filter((line) => line !== ""),
    async turn(choice) {
      const asked: Question[] = [];
      const ask: Ports["ask"] = async (question) => {
        asked.push(question);
        return { choice, why: "person" };
      };
      const events = await Array.fromAsync(
        runtime.run({ ...turn, past: async () => ({ history: [...history] }) }, { ...ports, ask }),
      );
      const ended = events.at(-1);
      assert.ok(ended?.type === "ended" && ended.outcome === "done", JSON.stringify(ended));
      history.push({ role: "user", content: turn.input }, { role: "assistant", content: "Well." });
      return asked;
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

function acts(kind: ModelKind, path: string): readonly object[] {
  if (kind === "code") return [code(`text(await tools.mcp__wire__act(${JSON.stringify({ path })}));`)];
  // Models that codex does not know are shown the tool; the others find it first.
  if (kind === "uncoded") return [{ call: { tool: "act", namespace: "mcp__wire", args: { path } } }];
  return [
    { search: { query: "act wire path" } },
    { call: { tool: "act", namespace: "mcp__wire", args: { path } } },
  ];
}

const runs = (kind: ModelKind, cmd: string, outside: boolean): readonly object[] => {
  const wish = outside ? { sandbox_permissions: "require_escalated", justification: "May I?" } : {};
  const args = { cmd, yield_time_ms: 30_000, ...wish };
  if (kind === "code") return [code(`text(await tools.exec_command(${JSON.stringify(args)}));`)];
  return [{ call: { tool: "exec_command", args } }];
};

const code = (input: string): object => ({ custom: { tool: "exec", input } });
