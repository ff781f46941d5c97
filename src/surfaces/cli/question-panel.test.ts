import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { describe, test } from "node:test";
import type { Answered, ApprovalState, Decision, InquiryState } from "../../core/asking.ts";
import type { Envelope } from "../../core/events.ts";
import { asId } from "../../core/ids.ts";
import { fakeClock } from "../../../test/fakes/fake-clock.ts";
import { lineInput } from "./line-input.ts";
import { questionPanel } from "./question-panel.ts";
import { clientOf } from "../../../test/fakes/client.ts";

const approval: ApprovalState = {
  id: asId<"apr">("apr_1"),
  question: {
    tool: "terminal",
    args: {},
    cwd: "/w",
    effect: "local",
    action: { kind: "tool" },
    summary: "rm -f x",
  },
  shown: ["rm -f x", "in /w"],
  choices: ["once", "session", "always", "deny"],
  expiresAt: 0,
};
const place = { v: 1, seq: 1, session: asId<"ses">("ses_1"), turn: asId<"trn">("trn_1") } as const;

/** A panel with a keyboard, a screen and a host that notes what it is told. */
function panel(answers: readonly Answered[] = [{ outcome: "taken" }]) {
  const stdin = new PassThrough();
  const stderr = new PassThrough();
  const clock = fakeClock(0);
  const told: unknown[] = [];
  const left = [...answers];
  const heard: (() => void)[] = [];
  const note = (what: unknown): void => {
    told.push(what);
    heard.splice(0).forEach((resolve) => resolve());
  };
  const input = lineInput(stdin, clock);
  const show = questionPanel({
    client: clientOf({
      "approvals.answer": async ({ approval: id, choice }) => {
        note([id, choice]);
        return left.shift() ?? { outcome: "late" };
      },
      "inquiries.reply": async ({ inquiry: id, answers: given }) => {
        note([id, given]);
        return { outcome: "taken" };
      },
    }),
    input,
    stderr,
  });
  let screen = "";
  stderr.on("data", (chunk: Buffer) => (screen += chunk.toString()));
  return {
    input,
    told,
    clock,
    /** Time passes in which what was typed before is taken in. */
    async say(event: object): Promise<void> {
      show({ ...place, ...event } as Envelope);
      await clock.advance(50);
    },
    type: (line: string) => void stdin.write(`${line}\n`),
    screen: () => screen,
    heard: () => new Promise<void>((resolve) => heard.push(resolve)),
    async shows(text: RegExp): Promise<void> {
      while (!text.test(screen)) await new Promise((resolve) => stderr.once("data", resolve));
    },
  };
}

const decided = (decision: Decision): object => ({ type: "approval", approval: { ...approval, decision } });

describe("the panel", () => {
  for (const [typed, choice] of [
    ["1", "once"],
    ["2", "session"],
    ["3", "always"],
    ["4", "deny"],
    [" Y ", "once"],
    ["no", "deny"],
    ["session", "session"],
  ] as const) {
    test(`shows what is asked, and takes "${typed}" for ${choice}`, async () => {
      const it = panel();
      await it.say({ type: "approval", approval });
      await it.shows(/│ rm -f x\n│ in \/w\n╰ 1 allow once {3}2 allow for this session/);
      const heard = it.heard();
      it.type(typed);
      await heard;
      assert.deepEqual(it.told, [["apr_1", choice]]);
    });
  }

  test("takes nothing for an answer that is none, and nothing that was typed before it was shown", async () => {
    const it = panel();
    it.type("1");
    await it.say({ type: "approval", approval });
    await it.shows(/╰ 1 allow/);
    for (const word of ["", "5", "0", "allow it", "yes please"]) it.type(word);
    await it.shows(/(?:Type a number from 1 to 4: ){5}$/);
    assert.deepEqual(it.told, []);
    const heard = it.heard();
    it.type("4");
    await heard;
    assert.deepEqual(it.told, [["apr_1", "deny"]]);
    assert.equal(await it.input.next(), "1");
  });

  test("closes when somebody else decides or the turn is stopped, and the next line is not an answer", async () => {
    const it = panel();
    await it.say({ type: "approval", approval });
    await it.shows(/╰ 1 allow/);
    await it.say(decided({ choice: "deny", why: "withdrawn", reason: "the turn was stopped" }));
    await it.shows(/· the turn was stopped\n$/);
    const next = it.input.next();
    it.type("1");
    assert.equal(await next, "1");
    assert.deepEqual(it.told, []);
  });

  test("shows one question after the other", async () => {
    const it = panel([{ outcome: "taken" }, { outcome: "taken" }]);
    await it.say({ type: "approval", approval });
    await it.say({ type: "approval", approval: { ...approval, id: "apr_2", shown: ["second"] } });
    await it.shows(/rm -f x/);
    assert.doesNotMatch(it.screen(), /second/);
    it.type("1");
    await it.shows(/│ second/);
    const heard = it.heard();
    it.type("4");
    await heard;
    assert.deepEqual(it.told, [
      ["apr_1", "once"],
      ["apr_2", "deny"],
    ]);
  });

  test("asks again when the answer is refused, and says why", async () => {
    const it = panel([{ outcome: "refused", why: "That cannot be allowed always." }, { outcome: "taken" }]);
    await it.say({ type: "approval", approval });
    await it.shows(/╰ 1/);
    it.type("3");
    await it.shows(/That cannot be allowed always\.\nType a number/);
    const heard = it.heard();
    it.type("1");
    await heard;
    assert.deepEqual(it.told.at(-1), ["apr_1", "once"]);
  });

  test("asks for each field of a form; an empty line declines it", async () => {
    const inquiry: InquiryState = {
      id: asId<"inq">("inq_1"),
      expiresAt: 0,
      form: {
        title: "The agent asks",
        fields: [
          { name: "a", label: "Which?", options: ["red", "green"] },
          { name: "b", label: "Why?" },
        ],
      },
    };
    for (const [lines, given] of [
      [["2", "it fits"], { a: "green", b: "it fits" }],
      [["blue", ""], undefined],
    ] as const) {
      const it = panel();
      await it.say({ type: "inquiry", inquiry });
      await it.shows(/Which\?\n {2}1 red\n {2}2 green\n\? $/);
      it.type(lines[0]);
      await it.shows(/Why\?\n\? $/);
      const heard = it.heard();
      it.type(lines[1]);
      await heard;
      assert.deepEqual(it.told, [["inq_1", given]]);
    }
  });
});
