import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { noTerminal } from "../../pseudo-terminal.ts";
import { pidOf, runs, talariaOnCodex } from "../codex-talaria.ts";
import { answers, chat, loginOnly, review, reviews, rollouts, untilReviewed } from "./review-chat.ts";

const commands = (count: number): readonly object[] => Array.from({ length: count }, () => runs("true"));
/** A turn that makes a review due, a review that does not end, a turn, and the review that makes up for it. */
const endless: readonly object[] = [
  answers("ten", ...commands(10)),
  answers("ten"),
  review({ text: "Let me look" }, { hang: true }),
  answers("next"),
  review(),
];
const onlySkills = "memory: { nudge_interval: 0 }\n";

describe("reviews that do not come to their end, on the real codex", { concurrency: 2 }, () => {
  test("the next message ends a review that goes on, and is answered; the review is made up for later", async (t) => {
    await using it = await talariaOnCodex(endless);
    await loginOnly(it, onlySkills);
    const talk = await chat(it);
    if (talk === undefined) return t.skip(noTerminal);
    await talk.say("ten");
    await it.model.waitForRequest(3);
    await talk.say("next");
    const found = await untilReviewed(it, 2);
    await talk.quit();
    assert.deepEqual(
      found.map(({ state, after }) => [state, after]),
      [
        ["cancelled", "ten"],
        ["done", "next"],
      ],
    );
  });

  test("leaving ends one that goes on, and the next chat makes up for it", async (t) => {
    await using it = await talariaOnCodex(endless);
    await loginOnly(it, onlySkills);
    const talk = await chat(it);
    if (talk === undefined) return t.skip(noTerminal);
    await talk.say("ten");
    await it.model.waitForRequest(3);
    await talk.quit();
    assert.deepEqual(
      reviews(it).map(({ state }) => state),
      ["cancelled"],
    );
    const again = await chat(it, "--continue");
    await again?.say("next");
    assert.deepEqual((await untilReviewed(it, 2)).at(-1), { kind: "skills", state: "done", after: "next" });
    await again?.quit();
  });

  test("one whose program was killed leaves nothing that runs, and is made up for after the next good turn", async (t) => {
    await using it = await talariaOnCodex(endless);
    await loginOnly(it, onlySkills);
    const talk = await chat(it);
    if (talk === undefined) return t.skip(noTerminal);
    await talk.say("ten");
    await it.model.waitForRequest(3);
    process.kill(await pidOf(it, /\bmain\.(?:ts|js)/), "SIGKILL");
    await talk.terminal.finished;
    assert.deepEqual(
      reviews(it).map(({ state }) => state),
      ["running"],
    );
    const again = await chat(it, "--continue");
    await again?.say("next");
    const found = await untilReviewed(it, 1);
    await again?.quit();
    assert.deepEqual(
      found.map(({ state, after }) => [state, after]),
      [
        ["running", "ten"],
        ["done", "next"],
      ],
    );
    assert.equal((await rollouts(it)).length, 1);
  });

  test("a provider that has had enough is told of once, and the person's turns go on", async (t) => {
    const limit = {
      http: { status: 429, body: { error: { type: "usage_limit_reached", message: "limit" } } },
    };
    await using it = await talariaOnCodex([
      answers("ten", ...commands(10)),
      answers("ten"),
      review(limit),
      answers("next"),
      review(limit),
      answers("onward"),
    ]);
    await loginOnly(it, onlySkills);
    const talk = await chat(it);
    if (talk === undefined) return t.skip(noTerminal);
    await talk.say("ten");
    await untilReviewed(it, 1);
    await talk.say("next", /could not be reviewed: [^]*Answer to next\.[^]*\n› $/);
    await untilReviewed(it, 2);
    await talk.say("onward");
    const { stdout } = await talk.quit();
    assert.deepEqual(
      reviews(it).map(({ state }) => state),
      ["failed", "failed"],
    );
    assert.equal(stdout.match(/could not be reviewed/g)?.length, 1, "the same reason is not said again");
  });
});
