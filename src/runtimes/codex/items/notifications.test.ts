import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { itemsOf } from "../captures.suite.ts";
import {
  type Frame,
  command,
  completed,
  end,
  here,
  message,
  retry,
  run,
  started,
  statuses,
  usage,
  waiting,
} from "../connection/frames.suite.ts";
import { endedEvent, outcomeOf } from "./turn-machine.ts";

const hook = (status: string, ...texts: readonly string[]): Frame => [
  "hook/completed",
  {
    threadId: "T",
    turnId: "U",
    run: { status, entries: texts.map((text) => ({ kind: "feedback", text })) },
  },
];

describe("what a turn says beside its items", () => {
  test("the status follows what codex does", () => {
    const [, events] = run([
      ["turn/started", { threadId: "T", turn: { id: "U" } }],
      started(command("c")),
      waiting(["waitingOnApproval"]),
      waiting([]),
      completed(command("c", { status: "completed", exitCode: 0 })),
      retry(),
      started(message("m", "")),
      started({ type: "contextCompaction", id: "k" }),
      completed({ type: "contextCompaction", id: "k" }),
      waiting(["waitingOnUserInput"]),
      end("completed"),
    ]);
    const expected = "thinking tool waiting tool thinking retrying thinking compacting thinking waiting";
    assert.equal(statuses(events).join(" "), expected);
  });

  test("a retry says codex's words without secrets", () => {
    const [, events] = run([retry("unexpected status 401: bad key sk-aaaaaaaaaaaaaaaaaaaaaaaa")]);
    const status = events.find((event) => event.type === "status");
    assert.equal(status?.text, "Reconnecting... 1/5 (unexpected status 401: bad key [redacted])");
  });

  test("a call that a hook stopped is told, and a hook that failed; one that had nothing to say is not", () => {
    const [, events] = run([hook("completed"), hook("blocked", "not \u001b[31mhere"), hook("failed")]);
    assert.deepEqual(
      itemsOf(events).map((item) => (item.kind === "note" ? item.text : item.kind)),
      ["Not done: not here", "A hook of codex failed: no reason given"],
    );
    assert.equal(new Set(itemsOf(events).map(({ id }) => id)).size, 2);
  });

  test("a failure knows whether the answer broke off", () => {
    const failed = end("failed", { error: { message: "gone", codexErrorInfo: "other" } });
    assert.equal(run([failed])[0].outcome?.brokeOff, false);
    assert.equal(run([retry(), failed])[0].outcome?.brokeOff, true);
    assert.equal(run([started(message("m", "")), failed])[0].outcome?.brokeOff, true);
    assert.equal(
      run([retry(), usage("U", 1, 1), failed])[0].outcome?.brokeOff,
      false,
      "the model has answered since",
    );
  });

  test("a failed turn without a reason takes it from the error before", () => {
    const error: Frame = [
      "error",
      { ...here, willRetry: false, error: { message: "no", codexErrorInfo: "modelNotFound" } },
    ];
    assert.equal(run([error, end("failed")])[0].outcome?.error?.info?.kind, "modelNotFound");
    assert.equal(run([error, end("completed")])[0].outcome?.error, undefined);
  });

  test("warnings are said once; deprecations are not for people", () => {
    const warning: Frame = ["warning", { threadId: "T", message: "careful" }];
    const [, events] = run([
      warning,
      warning,
      ["configWarning", { summary: "Bad setting.", details: "line 3", path: "/c.toml" }],
      ["deprecationNotice", { summary: "old" }],
      ["model/rerouted", { ...here, fromModel: "a", toModel: "b" }],
    ]);
    assert.deepEqual(
      events.flatMap((event) => (event.type === "notice" ? [event.text] : [])),
      ["careful", "Bad setting. line 3 /c.toml", "The provider answers with b instead of a."],
    );
  });

  test("the sum that is repeated for the turn before is where the spending starts", () => {
    // The first own frame is one without numbers: without a start it would count the old answer again.
    const [state] = run([usage("U0", 500, 100), usage("U", 500, 100), usage("U", 530, 30)]);
    assert.equal(endedEvent(state, "done").usage?.input, 30);
  });

  test("limits and the diff of the turn are kept in the state", () => {
    const [state] = run([
      ["turn/diff/updated", { ...here, diff: "old" }],
      ["turn/diff/updated", { ...here, diff: `new ${"x".repeat(200_000)}` }],
      [
        "account/rateLimits/updated",
        { rateLimits: { primary: { usedPercent: 100, windowDurationMins: 300, resetsAt: 1_794_790_000 } } },
      ],
    ]);
    assert.ok(state.diff?.startsWith("new x") && state.diff.length < 70_000);
    assert.deepEqual(state.limits, { text: "5 h: 100% used", resetsAt: 1_794_790_000_000 });
  });

  test("what is new is counted, by name, and the list is bounded", () => {
    const news = Array.from({ length: 100 }, (_, at): Frame => [`new/thing${at}`, { ...here }]);
    const [state, events] = run([
      ...news,
      ["__proto__", {}],
      completed({ type: "hologram", id: "h", beam: 1 }),
      completed(command("c", { status: "pondering" })),
      ["thread/status/changed", { threadId: "T", status: { type: "dreaming" } }],
    ]);
    assert.equal(state.drift.size, 41);
    assert.ok([...state.drift.values()].reduce((sum, times) => sum + times, 0) === 104);
    assert.deepEqual(
      itemsOf(events).map(({ kind }) => kind),
      ["note", "call"],
    );
  });

  test("a status of the turn that nobody knows confirms nothing", () => {
    const [state] = run([end("suspended")]);
    assert.equal(outcomeOf(state.outcome?.status ?? ""), "unconfirmed");
    assert.deepEqual([...state.drift], [["turn status suspended", 1]]);
    assert.deepEqual(["completed", "interrupted", "failed"].map(outcomeOf), [
      "done",
      "interrupted",
      "failed",
    ]);
  });

  test("commentary stands in for an answer only if there is none", () => {
    const aside = completed(message("a", "looking", { phase: "commentary" }));
    assert.equal(endedEvent(run([aside])[0], "done").text, "looking");
    assert.equal(endedEvent(run([completed(message("m", "yes")), aside])[0], "done").text, "yes");
    assert.equal(endedEvent(run([])[0], "done").text, "");
  });
});
