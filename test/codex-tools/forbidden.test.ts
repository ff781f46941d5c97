import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { Message } from "../../src/core/messages.ts";
import { type CodexSwitches, codexSwitches } from "../../src/host/codex/switches.ts";
import { root } from "../../src/runtimes/codex/real-codex.suite.ts";
import { turnOf } from "../../src/runtimes/runtime.suite.ts";
import { pinnedCodex } from "../codex-schema/pinned-codex.ts";
import { calls, says, script } from "./model-answers.ts";
import { type ForbiddingPlace, forbiddingPlace, notesIn, noticesIn } from "./forbidding-place.ts";
import { lookAround, toolsIn } from "./tools-in-requests.ts";

const denying = codexSwitches([], ["git push*", "*forbidden*"], "/nonexistent");
const patch = "*** Begin Patch\n*** Add File: patched\n+x\n*** End Patch";

/** A command in the words of each kind of model. */
const kinds = {
  "gpt-5.5": (cmd: string) => calls("exec_command", { cmd }),
  "gpt-6.1-sol": (cmd: string) => script(`text(await tools.exec_command({ cmd: ${JSON.stringify(cmd)} }))`),
};

describe("the deny list, on the real codex", { concurrency: 2 }, () => {
  for (const [model, runs] of Object.entries(kinds)) {
    test(`${model}: a command in the sandbox that it names is not run, and it is said`, async () => {
      const denied = runs("touch made; sh -c 'git  push origin'");
      await using it = await place(model, denying, [[denied], [runs("touch other")], says("Done.")]);
      const events = await it.turn();
      assert.deepEqual(it.made(), ["other"]);
      assert.match(it.request(1), /deny list of the person says no \(git push\*\)/);
      const notes = notesIn(events);
      assert.equal(notes.length, 1);
      assert.match(
        notes[0] ?? "",
        /^Not done: The deny list of the person says no \(git push\*\): touch made/,
      );
      assert.deepEqual(noticesIn(events), [], "codex confirmed that it looks");
    });
  }

  test("a check that cannot be made is a No", async () => {
    const guards = denying.guards.map((guard) => ({ ...guard, command: "'/nonexistent' || exit 2" }));
    const touch = kinds["gpt-5.5"]("touch made");
    await using it = await place("gpt-5.5", { ...denying, guards }, [[touch], says("Done.")]);
    await it.turn();
    assert.deepEqual(it.made(), []);
  });

  test("where codex does not look at it, that is said once in each session", async () => {
    const settings = "[features]\nhooks = false\n";
    await using it = await place("gpt-5.5", denying, [says("Done.")], settings);
    assert.match(noticesIn(await it.turn()).join("\n"), /did not confirm that it looks at your deny list/);
    assert.deepEqual(noticesIn(await it.turn({ past: async () => ({ history: answered }) })), []);
    assert.equal(noticesIn(await it.turn({ session: turnOf({}).session })).length, 1);
  });

  test("beside a conversation, where nobody looks, there are no commands", async () => {
    await using it = await place("gpt-5.5", denying, [says("Done."), lookAround, says("Done.")]);
    await it.turn();
    const beside = it.runtime.sideTurn?.({ ...turnOf({ history: answered }), cwd: it.work }, it.ports);
    assert.ok(beside !== undefined);
    await Array.fromAsync(beside);
    assert.ok(toolsIn(it.request(0)).has("exec_command"));
    assert.ok(!toolsIn(it.request(1)).has("exec_command") && !toolsIn(it.request(2)).has("exec_command"));
  });
});

describe("what is switched off, on the real codex", { concurrency: 2 }, () => {
  for (const model of Object.keys(kinds)) {
    test(`${model}: what codex has for the same is not offered either`, async () => {
      const off = codexSwitches(["terminal", "web_extract", "vision"], [], "/nonexistent");
      await using it = await place(model, off, [lookAround, says("Done.")]);
      await it.turn();
      const offered = new Set([0, 1].flatMap((at) => [...toolsIn(it.request(at))]));
      for (const name of ["exec_command", "write_stdin", "web_search", "view_image"])
        assert.ok(!offered.has(name), name);
      assert.ok(offered.has("apply_patch"), "the lists are read");
    });

    test(`${model}: a thread that a process has in hand goes on without it in another`, async () => {
      const off = codexSwitches(["terminal"], [], "/nonexistent");
      await using it = await place(model, denying, [says("Done."), lookAround, says("Done.")]);
      await it.turn();
      const events = await it.turnAfter(off, answered);
      const offered = new Set([1, 2].flatMap((at) => [...toolsIn(it.request(at))]));
      assert.ok(!offered.has("exec_command") && offered.has("apply_patch"));
      const seeded = events.filter((event) => event.type === "notice" && event.code === "thread_seeded");
      assert.match(
        JSON.stringify(seeded),
        /Codex was started anew\. The conversation goes on in a new codex thread/,
      );
      assert.match(it.request(1), /"Done\."/);
    });

    test(`${model}: what codex cannot leave out is not done`, async () => {
      const off = codexSwitches(["file", "mcp__echo-server__repeat"], [], "/nonexistent");
      const answers = {
        "gpt-5.5": [
          { type: "custom_tool_call", id: "p", call_id: "call_p", name: "apply_patch", input: patch },
          calls("repeat", { text: "hello" }, "mcp__echo_server"),
        ],
        "gpt-6.1-sol": [
          script(
            `for (const call of [() => tools.apply_patch(${JSON.stringify(patch)}), () => tools.mcp__echo_server__repeat({ text: "hello" })])
              try { text(await call()) } catch (error) { text(String(error)) }`,
          ),
        ],
      }[model] as readonly object[];
      const settings = `[mcp_servers.echo-server]
command = "${process.execPath}"
args = ["${join(root, "test/fakes/mcp-echo.mjs")}"]
required = true
omit_tools_from = ["deferred"]
default_tools_approval_mode = "approve"
`;
      await using it = await place(model, off, [answers, says("Done.")], settings);
      const events = await it.turn();
      assert.deepEqual(it.made(), []);
      assert.equal(it.request(1).split("has switched this tool off").length, 3, lastOf(it.request(1)));
      assert.deepEqual(notesIn(events).length, 2);
      assert.match(noticesIn(events).join("\n"), /read_file is switched off, but codex reads files/);
    });
  }
});

const answered: readonly Message[] = [
  { role: "user", content: "go" },
  { role: "assistant", content: "Done." },
];

const place = (
  model: string,
  switches: CodexSwitches,
  replies: readonly (readonly object[])[],
  settings?: string,
): Promise<ForbiddingPlace> =>
  forbiddingPlace({ binary: pinnedCodex(), version: "0.166.0", model }, switches, replies, settings);

/** What the model was told last. */
const lastOf = (body: string): string => body.slice(body.lastIndexOf('_output"')).slice(0, 2_000);
