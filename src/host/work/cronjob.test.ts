import assert from "node:assert/strict";
import { type TestContext, describe, test } from "node:test";
import { makerIn, modelLimits } from "../../work/by-model.ts";
import { asOwner } from "../../../test/owners-host.ts";
import { asId } from "../../core/ids.ts";
import { localOwner } from "../../core/principal.ts";
import type { NewSchedule } from "../../core/work/work.ts";
import { bob, calls, peopleWorld, says, you } from "../people-world.suite.ts";

const add = { action: "add", name: "tea", when: "every 2h", prompt: "Say tea." };

describe("a model that wants a schedule", () => {
  test("asks, makes it with a yes, and is told whether anything will run it", async (t) => {
    const it = await peopleWorld(t, [calls("cronjob", add), says("Done.")]);
    const { questions, ended, outputs } = await asked(it, { from: you, attended: "ask" }, "once");
    assert.equal(ended?.outcome, "done");
    assert.deepEqual(questions, ["schedule every 2h: Say tea."]);
    const [made] = await asOwner(it.host).call("cron.list", {});
    assert.partialDeepStrictEqual(made, { name: "tea", byModel: true, depth: 1, job: { text: "Say tea." } });
    assert.match(outputs[0] ?? "", /^“tea” \(sch_.*\), every 2h, on loop in [^]*no host is running/);
  });

  test("makes none with a no, and none where nobody can be asked", async (t) => {
    const it = await peopleWorld(
      t,
      [1, 2].flatMap(() => [calls("cronjob", add), says("Well.")]),
    );
    await asked(it, { from: you, attended: "ask" });
    const alone = await asked(it, { from: you });
    assert.match(alone.outputs[0] ?? "", /no one was there to ask/);
    assert.deepEqual(await asOwner(it.host).call("cron.list", {}), []);
  });

  test("may look and pause without a question, and changes with one", async (t) => {
    const steps = [{ action: "list" }, { action: "pause", name: "tea" }, { action: "remove", name: "tea" }];
    const it = await peopleWorld(t, [...steps.map((args) => calls("cronjob", args)), says("Done.")]);
    await asOwner(it.host).call("cron.add", { when: "every 2h", text: "Say tea.", name: "tea" });
    const { questions } = await asked(it, { from: you, attended: "ask" });
    assert.deepEqual(questions, ["remove the schedule “tea”"]);
    const [left] = await asOwner(it.host).call("cron.list", {});
    assert.equal(left?.state, "paused");
  });

  test("has no such tool in a session with members, and makes none for a program", async (t) => {
    const it = await peopleWorld(t, [calls("cronjob", add), says("Well.")]);
    const members = await asked(it, { from: bob, session: it.fresh("members") });
    assert.match(members.outputs[0] ?? "", /no tool/i);
    const program = { ...localOwner("mcp"), role: "program" } as const;
    const turn = { session: asId<"ses">("ses_0000000001"), from: program };
    await assert.rejects(makerIn({} as never, turn), /Schedules are the owner's/);
    assert.deepEqual(await asOwner(it.host).call("cron.list", {}), []);
  });

  test("makes ten an hour at most", async (t) => {
    const many = Array.from({ length: modelLimits.hourly + 1 }, (_, n) =>
      calls("cronjob", { ...add, name: `tea ${n}` }),
    );
    const it = await peopleWorld(t, [...many, says("Done.")]);
    const { outputs } = await asked(it, { from: you, attended: "ask" }, "once");
    assert.equal((await asOwner(it.host).call("cron.list", {})).length, modelLimits.hourly);
    assert.match(outputs.at(-1) ?? "", /Nothing was changed\. Models make 10 schedules an hour/);
  });
});

describe("a run of a schedule", () => {
  const parent = { when: "every 2h", text: "Make it.", name: "maker" };

  test("makes no schedule, and its row says that it needed a yes", async (t) => {
    const it = await served(t, parent, [add]);
    assert.partialDeepStrictEqual(it.run, { state: "refused", delivery: "pending" });
    assert.match(it.run?.reason ?? "", /needed an approval, and nobody was there to ask: schedule every 2h/);
    assert.deepEqual(it.names, ["maker"]);
  });

  test("makes as many as were allowed beforehand, and does not touch what the person has made", async (t) => {
    const it = await served(t, { ...parent, maySchedule: 1 }, [
      { action: "remove", name: "maker" },
      add,
      { ...add, name: "more" },
    ]);
    assert.deepEqual(it.names, ["maker", "tea"]);
    assert.match(it.told, /does not change “maker”/);
    assert.match(it.run?.reason ?? "", /nobody was there to ask/);
    assert.equal(it.deepest, 2);
  });
});

type World = Awaited<ReturnType<typeof peopleWorld>>;

/** Says something, and answers every question like this. */
async function asked(it: World, also: Parameters<World["say"]>[1], choice: "once" | "deny" = "deny") {
  const questions: string[] = [];
  const outputs: string[] = [];
  const { ended } = await it.say("Make it.", also, (event) => {
    if (event.type === "item" && event.item.kind === "call") outputs.push(event.item.output);
    if (event.type !== "approval" || event.approval.decision !== undefined) return;
    questions.push(event.approval.question.summary);
    void it.answer(you, event.approval.id, choice);
  });
  return { ended, questions, outputs };
}

/** One run of a schedule on a host that stays, whose model makes these calls. */
async function served(t: TestContext, wanted: NewSchedule, args: readonly object[]) {
  const steps = [...args.map((each) => calls("cronjob", each)), says("Done.")];
  const it = await peopleWorld(t, steps, "auto", true);
  const owner = asOwner(it.host);
  await owner.call("cron.add", wanted);
  await owner.call("cron.run", { id: wanted.name ?? "" });
  await it.model.waitForRequest(steps.length);
  await it.host.drain();
  await it.host[Symbol.asyncDispose]();
  await using later = await it.open();
  const [run] = await asOwner(later).call("cron.runs", { limit: 1 });
  const rows = await asOwner(later).call("sessions.messages", { session: run!.session! });
  const list = await asOwner(later).call("cron.list", {});
  return {
    run,
    names: list.map(({ name }) => name),
    deepest: Math.max(...list.map(({ depth }) => depth)),
    told: JSON.stringify(rows),
  };
}
