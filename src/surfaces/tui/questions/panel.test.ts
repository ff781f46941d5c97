import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Answered, ApprovalState, Choice, Decision } from "../../../core/asking.ts";
import type { Envelope } from "../../../core/events.ts";
import { asId } from "../../../core/ids.ts";
import { approvalOf, bench, inquiryOf, keys, paste, place, start } from "./bench.suite.ts";

const decided = (decision: Decision, change: Partial<ApprovalState> = {}): object => ({
  type: "approval",
  approval: { ...approvalOf(change), decision },
});
const numbered = (n: number, change: Partial<ApprovalState> = {}): ApprovalState =>
  approvalOf({ id: asId<"apr">(`apr_${n}`), shown: [`do thing ${n}`], ...change });

describe("what was typed before the question could be seen", () => {
  test("goes to the prompt and answers nothing", async () => {
    const it = bench();
    it.ask();
    await it.press("1", keys.enter);
    await it.wait(499);
    await it.press("y", keys.enter, paste("1"), "\u001B[49u", keys.backspace);
    assert.equal(it.prompt(), `1\ry\r${paste("1")}\u001B[49u${keys.backspace}`);
    assert.deepEqual(it.told, []);
    assert.doesNotMatch(it.screen(), /▸/);
  });

  test("lasts for half a second from the first frame, not from the event", async () => {
    const it = bench();
    it.panel.event({ ...place, type: "approval", approval: approvalOf() });
    await it.wait(10_000);
    assert.equal(it.panel.takes("1"), false);
    it.lines();
    await it.wait(499);
    assert.equal(it.panel.takes(keys.down), true);
    await it.wait(1);
    assert.equal(it.panel.takes("1"), true);
    assert.equal(it.panel.takes(keys.enter), true);
  });

  test("lasts as long as the person goes on typing", async () => {
    const it = bench();
    it.ask();
    for (const letter of "fix option 1\r") {
      await it.press(letter);
      await it.wait(120);
    }
    assert.equal(it.prompt(), "fix option 1\r");
    assert.deepEqual(it.told, []);
    await it.wait(500);
    await it.press("1", keys.enter);
    assert.deepEqual(it.told, [["apr_1", "once", "you"]]);
  });

  for (const name of ["escape", "up", "down", "pageUp", "pageDown", "ctrlU", "ctrlD"] as const)
    test(`is not ${name}, which confirms nothing`, () => {
      const it = bench();
      it.ask();
      assert.equal(it.panel.takes(keys[name]), true);
    });

  test("is not the release of a key, which is for nobody", () => {
    const it = bench();
    it.ask();
    assert.equal(it.panel.takes("\u001B[49;1:3u"), true);
  });

  test("is kept off by the component itself, whoever hands it the keys", async () => {
    const it = bench();
    it.ask();
    it.panel.component.handleInput?.("1");
    await it.wait(600);
    it.panel.component.handleInput?.(keys.enter);
    assert.deepEqual(it.told, []);
  });

  test("counts anew for a question that takes the place of another", async () => {
    const it = bench();
    it.ask(numbered(1));
    it.ask(numbered(2));
    await it.wait();
    await it.press("4");
    it.say(decided({ choice: "deny", why: "timeout", reason: "nobody answered" }));
    await it.press("1", keys.enter);
    assert.deepEqual(it.told, []);
    assert.equal(it.prompt(), "", "they were meant for the one that is gone");
    await it.wait();
    await it.press("4", keys.enter);
    assert.deepEqual(it.told, [["apr_2", "deny", "you"]]);
  });
});

async function answered(outcome: () => Promise<Answered>) {
  const it = bench({ answer: outcome });
  it.ask();
  await it.wait();
  await it.press("1", keys.enter);
  return it;
}

describe("what becomes of an answer", () => {
  test("taken: waits for what was decided, and takes no second answer", async () => {
    const it = await answered(async () => ({ outcome: "taken" }));
    assert.match(it.screen(), /╰ sent; waiting/);
    await it.press("4", keys.enter, keys.enter);
    assert.deepEqual(it.told, [["apr_1", "once", "you"]]);
    assert.equal(it.prompt(), "");
    it.say(decided({ choice: "once", why: "person", by: "you" }));
    assert.equal(it.panel.open, false);
    assert.deepEqual(it.said, ["allowed once by you"]);
  });

  test("taken: closes by itself when nobody says what was decided", async () => {
    const it = await answered(async () => ({ outcome: "taken" }));
    await it.wait(4_999);
    assert.equal(it.panel.open, true);
    await it.wait(1);
    assert.equal(it.panel.open, false);
    assert.deepEqual(it.said, ["answered"]);
    assert.equal(it.clock.pending(), 0);
  });

  for (const outcome of ["taken", "late", "unknown"] as const)
    test(`${outcome} after it was decided says nothing twice`, async () => {
      const { promise, resolve } = Promise.withResolvers<Answered>();
      const it = await answered(() => promise);
      it.say(decided({ choice: "once", why: "person", by: "you" }));
      resolve({ outcome });
      await it.wait(10);
      assert.deepEqual(it.said, ["allowed once by you"]);
      assert.equal(it.panel.open, false);
      assert.equal(it.clock.pending(), 0);
    });

  test("late: says what was decided and by whom, once", async () => {
    const decision: Decision = { choice: "deny", why: "person", by: "ada" };
    const it = await answered(async () => ({ outcome: "late", decision }));
    assert.equal(it.panel.open, false);
    it.say(decided(decision));
    assert.deepEqual(it.said, ["too late: denied by ada"]);
  });

  test("late without a word: says that something was first", async () => {
    const it = await answered(async () => ({ outcome: "late" }));
    assert.deepEqual(it.said, ["too late: somebody or something was first"]);
  });

  test("unknown: says that the question is gone", async () => {
    const it = await answered(async () => ({ outcome: "unknown" }));
    assert.equal(it.panel.open, false);
    assert.match(it.said.join(), /the question is gone/);
  });

  for (const [name, fail, shown] of [
    [
      "refused",
      async () => ({ outcome: "refused", why: "Not always,\u001B[2J here." }),
      /│ Not always,�\[2J here\./,
    ],
    [
      "a rejection",
      () => Promise.reject(new Error("database is locked")),
      /not be given \(database is locked\)/,
    ],
    [
      "a throw",
      () => {
        throw new Error("closed");
      },
      /not be given \(closed\)/,
    ],
  ] as const satisfies readonly (readonly [string, () => Promise<Answered>, RegExp])[])
    test(`${name}: shows why and stays open for another answer, which has to be chosen again`, async () => {
      const left = [fail, async (): Promise<Answered> => ({ outcome: "taken" })];
      const it = await answered(() => (left.shift() ?? fail)());
      assert.match(it.screen(), shown);
      assert.equal(it.panel.open, true);
      assert.deepEqual(it.said, []);
      await it.press(keys.enter);
      assert.equal(it.told.length, 1);
      await it.press("4", keys.enter);
      assert.deepEqual(it.told.at(-1), ["apr_1", "deny", "you"]);
    });
});

describe("a question that is decided elsewhere", () => {
  for (const [name, decision, said] of [
    ["another process", { choice: "session", why: "person", by: "ada" }, "allowed for this session by ada"],
    [
      "time",
      { choice: "deny", why: "timeout", reason: "nobody answered in 300 s" },
      "nobody answered in 300 s",
    ],
    ["Stop", { choice: "deny", why: "withdrawn" }, "question withdrawn: the turn was interrupted"],
  ] as const)
    test(`closes at once while the person is choosing, and says so: ${name}`, async () => {
      const it = bench();
      it.ask();
      await it.wait();
      await it.press("1");
      it.say(decided(decision));
      assert.equal(it.panel.open, false);
      assert.deepEqual(it.lines(), []);
      await it.press(keys.enter);
      assert.deepEqual(it.told, []);
      assert.equal(it.prompt(), decision.why === "withdrawn" ? keys.enter : "");
      assert.deepEqual(it.said, [said]);
      assert.equal(it.clock.pending(), 0);
    });

  test("leaves no key that was meant for it to the prompt, and soon all of them", async () => {
    const it = bench();
    it.ask();
    await it.wait();
    it.say(decided({ choice: "once", why: "person", by: "ada" }));
    await it.wait(20);
    await it.press("2", keys.escape);
    await it.wait(479);
    await it.press("2");
    assert.equal(it.panel.swallows(keys.ctrlC), false);
    await it.wait(499);
    await it.press("x", keys.enter, "y");
    assert.equal(it.prompt(), "xy", "an Enter after a late choice is late, too; letters are not");
    await it.wait(500);
    await it.press(keys.enter);
    assert.equal(it.prompt(), "xy\r");
    assert.deepEqual(it.said, ["allowed once by ada"]);
  });

  test("ends with the first word that is written: that was no choice", async () => {
    const it = bench();
    it.ask();
    await it.wait();
    it.say(decided({ choice: "once", why: "person", by: "ada" }));
    await it.press("2", "n", "o", "2", keys.enter);
    assert.equal(it.prompt(), "no2\r");
  });

  test("counts from the first frame without it, and no longer when another session is shown", async () => {
    const it = bench();
    it.ask();
    await it.wait();
    it.panel.event({ ...place, ...decided({ choice: "deny", why: "person", by: "ada" }) } as Envelope);
    await it.wait(10_000);
    assert.equal(it.panel.swallows("2"), true);
    it.panel.forget();
    assert.equal(it.panel.swallows("2"), false);
  });

  test("leaves the keys to the prompt that are typed after an answer of this person", async () => {
    const it = await answered(async () => ({ outcome: "taken" }));
    it.say(decided({ choice: "once", why: "person", by: "you" }));
    await it.press("h", "i", keys.enter);
    assert.equal(it.prompt(), "hi\r");
  });

  test("is told on one line, and nothing in it steers the screen", () => {
    const it = bench();
    it.ask();
    it.say(decided({ choice: "deny", why: "policy", reason: "no,\n\u001B[2J never" }));
    assert.deepEqual(it.said, ["no, �[2J never"]);
  });

  test("is named when it was not the one on the screen", async () => {
    const it = bench();
    it.ask(numbered(1));
    it.ask(numbered(2));
    await it.wait();
    await it.press("1");
    it.say(decided({ choice: "deny", why: "person", by: "ada" }, { id: asId<"apr">("apr_2") }));
    assert.deepEqual(it.said, ["rm -f x: denied by ada"]);
    await it.press(keys.enter);
    assert.deepEqual(it.told, [["apr_1", "once", "you"]]);
  });

  test("closes with its turn, and so do all others of that turn", () => {
    const it = bench();
    it.ask(numbered(1));
    it.ask(numbered(2), "trn_2");
    it.say({ type: "inquiry", inquiry: inquiryOf([{ name: "a", label: "Why?" }]) });
    it.say({ type: "ended", outcome: "interrupted", text: "", calls: 0 });
    assert.equal(it.said.length, 2);
    assert.match(it.screen(), /do thing 2/);
  });

  test("is not asked again when it is announced again", async () => {
    const it = bench();
    it.ask();
    it.ask();
    assert.doesNotMatch(it.screen(), /1 of 2/);
    it.say(decided({ choice: "deny", why: "timeout" }));
    it.ask();
    assert.equal(it.panel.open, false);
  });
});

describe("several questions", () => {
  test("come one after the other in the order of their arrival", async () => {
    const it = bench();
    for (const n of [1, 2, 3]) it.ask(numbered(n));
    const choices: readonly [string, Choice][] = [
      ["1", "once"],
      ["4", "deny"],
      ["2", "session"],
    ];
    for (const [at, [key, choice]] of choices.entries()) {
      assert.match(it.screen(), new RegExp(`do thing ${at + 1}`));
      assert.equal(/1 of \d/.exec(it.screen())?.[0], ["1 of 3", "1 of 2", undefined][at]);
      await it.wait();
      await it.press(key, keys.enter);
      assert.deepEqual(it.told.at(-1), [`apr_${at + 1}`, choice, "you"]);
      it.say(decided({ choice, why: "person", by: "you" }, { id: asId<"apr">(`apr_${at + 1}`) }));
    }
    assert.equal(it.panel.open, false);
    assert.deepEqual(it.said, ["allowed once by you", "denied by you", "allowed for this session by you"]);
  });
});

describe("time", () => {
  test("is counted down by the second, and the last minute stands out", async () => {
    const it = bench({ color: true });
    it.ask(approvalOf({ expiresAt: start + 62_500 }));
    const left = (): string | undefined => /\d+ s left|time is up/.exec(it.screen())?.[0];
    assert.equal(left(), "63 s left");
    const changes = it.changes();
    await it.wait(500);
    assert.equal(left(), "62 s left");
    assert.ok(it.lines()[0]?.endsWith(it.theme.faint("62 s left")));
    await it.wait(2_000);
    assert.ok(it.lines()[0]?.endsWith(it.theme.warn("60 s left")));
    assert.equal(it.changes(), changes + 3);
    await it.wait(59_999);
    assert.equal(left(), "1 s left");
    await it.wait(1);
    assert.equal(left(), "time is up");
  });

  test("that is up closes the question, even when nobody says so", async () => {
    const it = bench();
    it.ask(approvalOf({ expiresAt: start + 1_000 }));
    it.ask(numbered(2));
    await it.wait(5_999);
    assert.match(it.screen(), /rm -f x/);
    await it.wait(1);
    assert.match(it.screen(), /do thing 2/);
    assert.deepEqual(it.said, ["nobody answered in time"]);
  });

  test("without an end is not counted", () => {
    const it = bench();
    const { expiresAt: _never, ...open } = approvalOf({});
    it.ask(open);
    assert.doesNotMatch(it.screen(), /left/);
    assert.equal(it.clock.pending(), 0);
  });

  test("leaves no timer behind", async () => {
    const it = bench();
    it.ask();
    it.ask(numbered(2));
    assert.equal(it.clock.pending(), 1);
    it.panel[Symbol.dispose]();
    assert.equal(it.clock.pending(), 0);
    it.ask(numbered(3));
    assert.equal(it.clock.pending(), 0);
    assert.equal(it.panel.open, false);
    assert.deepEqual(it.lines(), []);
  });
});

describe("a session that is no longer shown", () => {
  test("takes its questions along without a word, and brings them again", async () => {
    const it = bench();
    it.ask();
    it.panel.forget();
    assert.equal(it.panel.open, false);
    assert.deepEqual(it.said, []);
    assert.equal(it.clock.pending(), 0);
    it.ask();
    assert.equal(it.panel.open, true);
  });
});
