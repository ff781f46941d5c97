import assert from "node:assert/strict";
import { test } from "node:test";
import { asId } from "../core/ids.ts";
import type { StoredOutcome } from "../core/work/work.ts";
import { chatNews } from "./chat-news.ts";
import type { NewsDeps } from "./news.ts";

const outcome = (id: string, also: Partial<StoredOutcome>): StoredOutcome => ({
  id: asId<"out">(id),
  kind: "alert",
  subject: "something",
  instant: 0,
  state: "ran",
  lateMs: 0,
  at: 0,
  settledAt: 0,
  target: "local",
  delivery: "pending",
  ...also,
});

const told = (rows: readonly StoredOutcome[], done: readonly string[] = []) =>
  chatNews({
    store: {
      outcomes: { untold: async () => rows },
      schedules: {
        get: async (id: string) => (id === "sch_1" ? { name: "report", state: "active" } : undefined),
      },
      cards: { get: async (id: string) => (done.includes(id) ? { doneAt: 1 } : {}) },
      sessions: {
        messages: async () => [{ message: { role: "assistant", content: "Line one.\n\nLine two." } }],
      },
    } as unknown as NewsDeps["store"],
    settings: { zone: "UTC" },
    log: assert.fail,
  });

test("a notice of a card names it, and needs the owner until it is done", async () => {
  const reason = "The card “Mend the roof” needs you: which colour?";
  const row = outcome("out_1", { subject: "card t_0roof.2", reason });
  const expected = { outcomes: ["out_1"], target: "local", text: reason, card: "t_0roof" };
  assert.deepEqual(await told([row]), [{ ...expected, level: "needs" }]);
  assert.deepEqual(await told([row], ["t_0roof"]), [{ ...expected, level: "results" }]);
});

test("times that were missed are one message, answers are one each and whole, and nothing is told in another chat", async () => {
  const run = { kind: "schedule", subject: "sch_1" } as const;
  const missed = { ...run, state: "missed", reason: "no host ran" } as const;
  const news = await told([
    outcome("out_1", missed),
    outcome("out_2", { ...run, session: asId<"ses">("ses_1") }),
    outcome("out_3", { ...missed, instant: 60_000 }),
    outcome("out_4", { ...missed, target: "telegram:5" }),
    outcome("out_5", { ...run, state: "failed", reason: "the model was not reached" }),
    outcome("out_6", { subject: "work.budget.day.turns 50 %", reason: "Half of it is taken." }),
  ]);
  assert.deepEqual(
    news.map(({ outcomes, target, level }) => [outcomes.join(), target, level]),
    [
      ["out_1,out_3", "local", "needs"],
      ["out_2", "local", "results"],
      ["out_4", "telegram:5", "needs"],
      ["out_5", "local", "results"],
      ["out_6", "local", "results"],
    ],
  );
  assert.match(news[0]?.text ?? "", /^2 runs of “report” did not take place/);
  assert.equal(news[1]?.text, "**report**\n\nLine one.\n\nLine two.");
});
