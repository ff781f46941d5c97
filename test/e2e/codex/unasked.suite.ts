import assert from "node:assert/strict";
import { watch, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { startAnsweringModel } from "../../../bench/answering-model.ts";
import type { Envelope } from "../../../src/core/events.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { parseDemoScript } from "../../fakes/demo-script.ts";
import { textReply } from "../../../src/models/demo/reply.ts";
import { type DemoModel, startDemoModel } from "../../fakes/demo-model.ts";
import { type AgentOnCodex, type CodexOfOwnWill, agentOnCodex } from "./agent-on-codex.ts";

const writesCode = "gpt-6.1-sol";
const patience = { timeout: 60_000 };

const scripted = (steps: readonly object[], otherwise: readonly object[]): Promise<DemoModel> =>
  startDemoModel({ clock: systemClock, script: parseDemoScript({ maxRequests: 40, steps, otherwise }) });

const noticesIn = (events: readonly Envelope[], code: string): readonly string[] =>
  events.flatMap((event) => (event.type === "notice" && event.code === code ? [event.text] : []));

/** Opens a terminal in its first turn, and types a line into it in its second one. */
async function startTypist(
  command: string,
  line: string,
): Promise<Awaited<ReturnType<typeof startAnsweringModel>>> {
  return startAnsweringModel(({ said, results, model }, body) => {
    if (results.length > 0) return textReply("Done.");
    const [, terminal] =
      [...body.matchAll(/(?:session ID |session_id[\\": ]+)(\d{3,})(?![\w-])/g)].at(-1) ?? [];
    const opens = said.at(-1)?.includes("open") === true;
    const args = opens
      ? { cmd: command, tty: true, yield_time_ms: 400 }
      : { session_id: Number(terminal), chars: `${line}\n`, yield_time_ms: 400 };
    const tool = opens ? "exec_command" : "write_stdin";
    if (model === "gpt-5.5") return { content: [{ kind: "call", tool, args: JSON.stringify(args) }] };
    const input = `text(JSON.stringify(await tools.${tool}(${JSON.stringify(args)})));`;
    return { content: [{ kind: "custom", tool: "exec", input }] };
  });
}

const setGoal = (model: string): object =>
  model === writesCode
    ? { custom: { tool: "exec", input: 'await tools.create_goal({ objective: "count" }); text("ok");' } }
    : { call: { tool: "create_goal", args: { objective: "count" } } };

/** A script that gives its turn back after so long, and goes on. */
const script = (yieldMs: number): string => `// @exec: {"yield_time_ms": ${yieldMs}}
  for (let i = 0; i < 12; i += 1) await tools.exec_command({ cmd: "echo s" + i + " >> s.txt; sleep 0.4" });
  text("done");`;

/** Each command that has left its line has a row, in whichever turn. */
async function assertRows(it: AgentOnCodex): Promise<void> {
  const ran = (await it.read("s.txt")).split("\n").filter(Boolean);
  const rows = (await it.kept()).flatMap(({ calls }) => calls.filter((call) => call.includes("s.txt")));
  assert.ok(ran.length >= 1 && ran.length <= 2, `it ran ${ran.length} commands`);
  for (const line of ran) {
    const found = rows.filter((row) => row.includes(`echo ${line} `));
    assert.equal(found.length, 1, `${line} is a row, once`);
  }
}

const isUnasked = (event: Envelope): boolean => event.type === "notice" && event.code === "unasked";

/** What a codex can do by itself. What it cannot do is not tried. */
export type OwnWill = CodexOfOwnWill & {
  /** Models that it knows: one that calls tools, and one that works by writing code. */
  readonly models: readonly string[];
  readonly goals: boolean;
};

/** What is owed when codex does something that nobody asked for, on this program. */
export function unaskedSuite(name: string, { models, goals, ...codex }: OwnWill): void {
  const open = (url: string, model: string, signal: AbortSignal): Promise<AgentOnCodex> =>
    agentOnCodex(url, model, codex, signal);
  for (const model of models)
    describe(`what nobody asked ${name} for, ${model}`, () => {
      if (goals)
        test(
          "a turn that codex starts for a goal is stopped, is a turn in history, and no message joins it",
          patience,
          async ({ signal }) => {
            await using asked = await scripted(
              [
                {
                  when: "set a goal",
                  reply: [setGoal(model)],
                },
                { when: "set a goal", reply: [{ text: "The goal is set." }] },
                { when: "^hello$", reply: [{ text: "Hello yourself." }] },
              ],
              [{ hang: true }],
            );
            await using it = await open(asked.url, model, signal);
            assert.equal((await it.turn("set a goal")).text, "The goal is set.");
            const said = await it.next(isUnasked);
            await it.next(({ type, turn }) => type === "ended" && turn === said.turn);
            const hello = await it.turn("hello");
            assert.deepEqual([hello.outcome, hello.text], ["done", "Hello yourself."]);
            const turns = await it.kept();
            assert.deepEqual(
              turns.slice(0, 3).map(({ surface, input, state }) => [surface, input, state]),
              [
                ["cli", "set a goal", "done"],
                [
                  "codex",
                  "Codex started a turn of its own, which nobody asked for. It was stopped.",
                  "interrupted",
                ],
                ["cli", "hello", "done"],
              ],
            );
          },
        );

      // Turns that end before they are stopped follow each other without end.
      for (const [deafTo, how] of goals
        ? ([
            [0, ""],
            [8, ", also where codex begins one after the other"],
          ] as const)
        : [])
        test(
          `a message that waits for the end of a turn has a turn of its own all the same${how}`,
          patience,
          async ({ signal }) => {
            await using asked = await scripted(
              [
                { when: "set a goal", reply: [setGoal(model)] },
                { when: "set a goal", reply: [{ text: "The goal is set." }] },
                { when: "^hello$", reply: [{ text: "Hello yourself." }] },
              ],
              [{ text: "On it." }],
            );
            await using it = await agentOnCodex(asked.url, model, { ...codex, deafTo }, signal);
            const sent = [await it.send("set a goal"), await it.send("hello")];
            const [first, second] = await Promise.all(sent.map(({ ended }) => ended));
            assert.deepEqual(
              [first?.outcome, first?.text, second?.outcome, second?.text],
              ["done", "The goal is set.", "done", "Hello yourself."],
            );
            const hello = (await it.kept()).find(({ input }) => input === "hello");
            assert.deepEqual(
              hello?.items.map(({ text }) => text),
              ["Hello yourself."],
              "nothing that codex did by itself is in it",
            );
          },
        );

      test(
        "a helper that codex starts is stopped, and is a turn in history",
        patience,
        async ({ signal }) => {
          const spawn =
            model === "gpt-5.5"
              ? [
                  { when: "get help", reply: [{ search: { query: "spawn agent" } }] },
                  {
                    when: "get help",
                    reply: [
                      {
                        call: {
                          tool: "spawn_agent",
                          namespace: "multi_agent_v1",
                          args: { message: "do it" },
                        },
                      },
                    ],
                  },
                ]
              : [
                  {
                    when: "get help",
                    reply: [
                      {
                        call: {
                          tool: "spawn_agent",
                          namespace: "collaboration",
                          args: { task_name: "kid", message: "do it" },
                        },
                      },
                    ],
                  },
                ];
          await using asked = await scripted(
            [...spawn, { when: "get help", reply: [{ slow: { ms: 300 } }, { text: "Help is on its way." }] }],
            [{ hang: true }],
          );
          await using it = await open(asked.url, model, signal);
          assert.equal((await it.turn("get help")).text, "Help is on its way.");
          const said = await it.next(isUnasked);
          await it.next(({ type, turn }) => type === "ended" && turn === said.turn);
          const [, helper] = await it.kept();
          assert.deepEqual(
            [helper?.surface, helper?.input, helper?.state],
            [
              "codex",
              "Codex started a helper of its own, which nobody asked for. It was stopped.",
              "interrupted",
            ],
          );
        },
      );
    });

  describe(`what goes on after the end of its turn, ${name}`, () => {
    for (const [yieldMs, when] of models.includes(writesCode)
      ? ([
          [300, ""],
          [1, ", also one that begins after the end of the turn"],
        ] as const)
      : [])
      test(
        `a script does not go on in later turns, and each of its commands is a row${when}`,
        patience,
        async ({ signal }) => {
          await using asked = await scripted(
            [
              { when: "start", reply: [{ custom: { tool: "exec", input: script(yieldMs) } }] },
              { when: "start", reply: [{ text: "It runs." }] },
              { when: "hello", reply: [{ text: "Hello." }] },
              { when: "wait", reply: [{ call: { tool: "exec_command", args: { cmd: "sleep 2" } } }] },
              { when: "wait", reply: [{ text: "Waited." }] },
            ],
            [{ text: "Nothing." }],
          );
          await using it = await open(asked.url, writesCode, signal);
          const first = await it.turn("start a script");
          assert.equal(first.text, "It runs.");
          const notices = it.events.flatMap((event) => (event.type === "notice" ? [event.code] : []));
          assert.ok(notices.includes("script_ended"), "that it was ended is said with the end of the turn");
          assert.equal((await it.turn("hello")).text, "Hello.");
          assert.equal((await it.turn("wait a little")).text, "Waited.");
          await assertRows(it);
        },
      );

    const args = { cmd: "echo s0 >> s.txt; sleep 3" };
    const stoppable = [
      ["gpt-5.5", "a command", { call: { tool: "exec_command", args } }, /echo s0 .*outcome unknown/],
      [
        writesCode,
        "a script",
        { custom: { tool: "exec", input: script(9_000) } },
        /"script":.*outcome unknown/,
      ],
      [
        writesCode,
        "a script beside it",
        { custom: { tool: "exec", input: script(1) } },
        /A script .* stopped/,
      ],
    ] as const;
    for (const [model, what, reply, row] of stoppable.filter(([each]) => models.includes(each)))
      test(`${what} that is stopped when it has only just begun is a row, ${model}`, patience, async (t) => {
        const steps = [
          { when: "start", reply: [reply] },
          { when: "start", reply: [{ hang: true }] },
        ];
        await using asked = await scripted(steps, [{ text: "Nothing." }]);
        await using it = await open(asked.url, model, t.signal);
        const changes = watch(it.work, { signal: t.signal })[Symbol.asyncIterator]();
        const changed = changes.next();
        const { ended } = await it.send("start it");
        await changed; // codex tells of a command only when it has run for a while
        await it.agent.stop(it.session);
        await changes.return?.();
        assert.equal((await ended)?.outcome, "interrupted");
        const [first] = await it.kept();
        const told = first?.items.filter((item) => JSON.stringify(item).includes("s0 >> s.txt"));
        // Where the machine is slow, codex has had the time to tell of it.
        assert.ok(told?.length === 1 || row.test(JSON.stringify(first?.items)), JSON.stringify(first?.items));
      });

    for (const model of models) {
      test(`a shell is closed with its turn, and that is said, ${model}`, patience, async ({ signal }) => {
        await using typist = await startTypist("bash", "rm -f precious; echo gone");
        await using it = await open(typist.url, model, signal);
        await writeFile(join(it.work, "precious"), "dear");
        const first = await it.turn("open a terminal");
        assert.deepEqual([first.outcome, first.running], ["done", undefined]);
        assert.match(noticesIn(it.events, "shell_closed").join(), /Closed with the turn: `bash`/);
        await it.turn("type into it");
        assert.equal(await it.read("precious"), "dear");
      });

      test(
        `what is typed into a command of an earlier turn is a row, ${model}`,
        patience,
        async ({ signal }) => {
          await using typist = await startTypist("cat > typed.txt", "rm -f precious");
          await using it = await open(typist.url, model, signal);
          const first = await it.turn("open a terminal");
          assert.deepEqual(
            first.running?.map(({ command }) => command),
            ["cat > typed.txt"],
          );
          assert.match(noticesIn(it.events, "still_running").join(), /Still running: `cat > typed.txt`/);
          await it.turn("type into it");
          const [, second] = await it.kept();
          const typed = second?.items.find(({ tool }) => tool === "write_stdin");
          assert.deepEqual(typed?.["args"], {
            text: "rm -f precious\n",
            command: "/bin/bash -lc 'cat > typed.txt'",
          });
          assert.equal(await it.read("typed.txt"), "rm -f precious\n");
        },
      );
    }

    test("what goes on is listed, ended by Stop, and its end is a row", patience, async ({ signal }) => {
      await using typist = await startTypist("sleep 600", "");
      await using it = await open(typist.url, "gpt-5.5", signal);
      await it.turn("open a terminal");
      const [running] = it.agent.running(it.session);
      assert.equal(running?.command, "sleep 600");
      const { interrupted, ended } = await it.agent.stop(it.session);
      assert.deepEqual([interrupted, ended.map(({ command }) => command)], [false, ["sleep 600"]]);
      assert.deepEqual(it.agent.running(it.session), []);
      const said = await it.next(isUnasked);
      await it.next(({ type, turn }) => type === "ended" && turn === said.turn);
      const [, late] = await it.kept();
      assert.equal(late?.input, "Something that an earlier turn left running has reported back.");
      assert.match(String(late?.items[0]?.["output"]), /^\[begun in an earlier turn\]/);
    });

    test("what ends with codex is said, and is a row", patience, async ({ signal }) => {
      await using typist = await startTypist("sleep 600", "");
      await using it = await open(typist.url, "gpt-5.5", signal);
      await it.turn("open a terminal");
      it.kill();
      const said = await it.next(isUnasked);
      await it.next(({ type, turn }) => type === "ended" && turn === said.turn);
      const [, gone] = await it.kept();
      assert.equal(gone?.input, "Codex has ended what was still running.");
      assert.match(String(gone?.items[0]?.["text"]), /`sleep 600`/);
      assert.deepEqual(it.agent.running(it.session), []);
    });

    test(
      "a start after the end of the program tells what had been left running, once",
      patience,
      async ({ signal }) => {
        await using typist = await startTypist("sleep 600", "");
        await using it = await open(typist.url, "gpt-5.5", signal);
        await it.turn("open a terminal");
        const after = (): Promise<readonly { command: string }[]> =>
          it.store.leftRunning.takeLeft(it.session, () => true);
        assert.deepEqual(
          (await after()).map(({ command }) => command),
          ["sleep 600"],
        );
        assert.deepEqual(await after(), []);
      },
    );
  });
}
