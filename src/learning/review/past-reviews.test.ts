import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { asId } from "../../core/ids.ts";
import type { StoredReview } from "../../core/learning.ts";
import type { Owner } from "../../store/store.ts";
import { reviewedUpTo, usedUpWords } from "./past-reviews.ts";

const alive: Owner = { host: "here", pid: 1, startTime: "1" };
const dead: Owner = { host: "here", pid: 2, startTime: "2" };
const isGone = (owner: Owner): boolean => owner.pid === dead.pid;

type Word = StoredReview["state"] | "lost";

/** Reviews of the turns 1, 2, 3… that became this. */
const upTo = (...words: readonly Word[]): string | undefined =>
  reviewedUpTo(
    words.map((word, at) => ({
      kind: "memory",
      upTo: asId<"trn">(`trn_${at + 1}`),
      state: word === "lost" ? "running" : word,
      owner: word === "lost" ? dead : alive,
    })),
    "memory",
    isGone,
  );

describe("what counts as reviewed", () => {
  test("the last one that was done, or is under way", () => {
    assert.equal(upTo(), undefined);
    assert.equal(upTo("done"), "trn_1");
    assert.equal(upTo("done", "done"), "trn_2");
    assert.equal(upTo("done", "running"), "trn_2");
  });

  test("one that failed is tried once more, and then counts", () => {
    assert.equal(upTo("done", "failed"), "trn_1");
    assert.equal(upTo("done", "failed", "failed"), "trn_3");
    assert.equal(upTo("failed", "failed", "failed"), "trn_2");
    assert.equal(upTo("failed", "done", "failed"), "trn_2");
  });

  test("so does one whose process is gone", () => {
    assert.equal(upTo("done", "lost"), "trn_1");
    assert.equal(upTo("lost", "lost"), "trn_2");
    assert.equal(upTo("lost", "failed"), "trn_2");
  });

  test("one for which the next turn came too early is tried twice more", () => {
    assert.equal(upTo("done", "cancelled", "cancelled"), "trn_1");
    assert.equal(upTo("done", "cancelled", "cancelled", "cancelled"), "trn_4");
    assert.equal(upTo("cancelled", "cancelled", "done"), "trn_3");
  });

  test("one that went over its budget counts at once: it would do so again", () => {
    const upToTurn = asId<"trn">("trn_1");
    const over = { kind: "memory", upTo: upToTurn, state: "failed", owner: alive } as const;
    assert.equal(
      reviewedUpTo([{ ...over, result: `${usedUpWords} learning.review_tokens.` }], "memory", isGone),
      upToTurn,
    );
    assert.equal(reviewedUpTo([{ ...over, result: "the network is down" }], "memory", isGone), undefined);
  });

  test("each kind has its own", () => {
    const skills = [{ kind: "skills", upTo: asId<"trn">("trn_1"), state: "done", owner: alive }] as const;
    assert.equal(reviewedUpTo(skills, "memory", isGone), undefined);
    assert.equal(reviewedUpTo(skills, "skills", isGone), "trn_1");
  });
});
