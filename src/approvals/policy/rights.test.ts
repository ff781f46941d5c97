import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { describe, test } from "node:test";
import { assert as check, boolean, constantFrom, property, record } from "../../../test/seeded.ts";
import type { Choice } from "../../core/asking.ts";
import {
  type Caller,
  type Principal,
  audiences,
  belongsTo,
  maySteer,
  principalOf,
  roles,
} from "../../core/principal.ts";
import { whyMayNotAnswer, whyMayNotReply } from "../principal.ts";
import { whyNotOn } from "./audience-rules.ts";
import { commandQuestion, corpus, settings as usual } from "./corpus.suite.ts";
import type { PolicySettings, Situation, Verdict } from "./policy.ts";
import { type Call, attendances, calls, decided, rightsTable } from "./rights.suite.ts";

test("every role, place, session and attendance may do what the golden table says", () => {
  const golden = new URL("../../../test/fixtures/approvals/rights.txt", import.meta.url);
  if (process.env["TALARIA_WRITE_CAPTURES"] === "1") writeFileSync(golden, rightsTable());
  assert.equal(rightsTable(), readFileSync(golden, "utf8"));
});

/** 0 it is not done · 1 somebody is asked · 2 it is done */
function level(verdict: Verdict | "-"): number {
  if (verdict === "-" || verdict.verdict === "deny") return 0;
  return verdict.verdict === "ask" ? 1 : 2;
}
const choicesOf = (verdict: Verdict | "-"): readonly Choice[] => (verdict === "-" ? [] : verdict.choices);

function assertNoMore(call: Call, less: Situation, more: Situation, settings: PolicySettings): void {
  const [few, many] = [decided(call, less, settings), decided(call, more, settings)];
  const about = JSON.stringify({ tool: call.tool, question: call.question.summary, less, more });
  assert.ok(level(few) <= level(many), about);
  if (level(few) === 1 && level(many) === 1)
    for (const choice of choicesOf(few)) assert.ok(choicesOf(many).includes(choice), `${choice}: ${about}`);
}

const commands = [...corpus("bypasses"), ...corpus("floor"), "npm test", "ls"];
const anyCall = constantFrom(
  ...Object.values(calls),
  ...(["sandbox", "none", "unknown"] as const).flatMap((fence) =>
    commands.map((command) => ({ tool: "terminal", question: commandQuestion(command, fence) })),
  ),
);
const anySituation = record({
  from: record({ role: constantFrom(...roles), local: boolean() }),
  audience: constantFrom(...audiences),
  attended: constantFrom(...attendances),
});
const anySettings = record({
  mode: constantFrom("manual", "smart", "off"),
  securityMode: constantFrom("auto", "approval-required", "unrestricted"),
  deny: constantFrom([], ["npm *"], ["*"]),
}).map((some): PolicySettings => ({ ...usual, ...some }));

const holds = (name: string, less: (situation: Situation) => Situation): void =>
  void test(name, () =>
    check(
      property(anyCall, anySituation, anySettings, (call, situation, settings) =>
        assertNoMore(call, less(situation), situation, settings),
      ),
      { numRuns: 2000 },
    ),
  );
const as = (role: Principal["role"]) => (situation: Situation) => ({
  ...situation,
  from: { ...situation.from, role },
});

describe("whatever is called, with whatever settings", () => {
  holds("a guest may no more than anybody else", as("guest"));
  holds("nobody may more than the owner, and a member no more than the owner", (situation) =>
    situation.from.role === "owner" ? as("member")(situation) : situation,
  );
  holds("a program may no more than the owner", (situation) =>
    situation.from.role === "owner" ? as("program")(situation) : situation,
  );
  holds("away is no more than here", (situation) => ({
    ...situation,
    from: { ...situation.from, local: false },
  }));
  holds("with members no more is done than with the owner alone", (situation) =>
    situation.audience === "owner" ? { ...situation, audience: "members" } : situation,
  );
  holds("with guests no more is done than with anybody", (situation) => ({
    ...situation,
    audience: "guests",
  }));
  holds("where nobody attends no more is done than where somebody does", (situation) => ({
    ...situation,
    attended: "none",
  }));

  test("allowing everything beforehand counts only from the owner at this machine, in a session of their own", () => {
    check(
      property(anyCall, anySituation, anySettings, (call, situation, settings) => {
        const { from, audience } = situation;
        if (from.role === "owner" && from.local && audience === "owner") return;
        for (const [wish, counts] of [
          ["all", "none"],
          ["yolo", "ask"],
        ] as const)
          assert.deepEqual(
            decided(call, { ...situation, attended: wish }, settings),
            decided(call, { ...situation, attended: counts }, settings),
          );
      }),
      { numRuns: 1000 },
    );
  });
});

const program = (also: Partial<Caller>): Caller => ({
  surface: "api",
  id: "key_1",
  role: "program",
  local: true,
  scopes: ["approve"],
  ...also,
});

describe("who may answer", () => {
  const asker: Principal = { surface: "telegram", id: "bob", role: "member", local: false };
  const answers: readonly Choice[] = ["once", "session", "always", "deny"];
  const may = (by: Principal, choice: Choice): boolean =>
    whyMayNotAnswer(by, choice, { asker, choices: answers }) === undefined;
  const people = roles.flatMap((role) =>
    ["bob", "sue"].flatMap((id) =>
      [true, false].map((local): Principal => ({ surface: "telegram", id, role, local })),
    ),
  );

  test("only the owner, for good only at the machine itself, and a member says no for themselves alone", () => {
    const taken = people.flatMap((by) =>
      answers.filter((choice) => may(by, choice)).map((choice) => [by, choice]),
    );
    const expected = people.flatMap((by) =>
      answers
        .filter((choice) => {
          if (by.role === "member") return choice === "deny" && by.id === "bob";
          return by.role === "owner" && (choice !== "always" || by.local);
        })
        .map((choice) => [by, choice]),
    );
    assert.deepEqual(taken, expected);
  });

  test("a program answers for itself alone, with a key that says so, and never for good", () => {
    const own = principalOf(program({}));
    const taken = (one: Caller): readonly Choice[] =>
      answers.filter(
        (choice) => whyMayNotAnswer(one, choice, { asker: own, choices: answers }) === undefined,
      );
    assert.deepEqual(taken(program({})), ["once", "session", "deny"]);
    assert.equal(whyMayNotReply(program({}), own), undefined);
    for (const one of [
      program({ id: "key_2" }),
      program({ surface: "acp" }),
      program({ scopes: ["admin"] }),
      own,
    ]) {
      assert.deepEqual(taken(one), []);
      assert.notEqual(whyMayNotReply(one, own), undefined);
    }
    assert.notEqual(whyMayNotReply(program({}), undefined), undefined);
  });

  test("what is asked for in words is said by whoever is asked, or by the owner, and never by a program", () => {
    for (const by of people)
      for (const asked of [asker, undefined])
        assert.equal(
          whyMayNotReply(by, asked) === undefined,
          by.role === "owner" || (by.role !== "program" && by.id === asked?.id),
        );
  });
});

const person = (role: Principal["role"], id: string, local: boolean): Principal => ({
  surface: "s",
  id,
  role,
  local,
});

test("words join a turn only if nobody gains by it: one's own, or the owner's, and not from away into a turn that is here", () => {
  const owners = person("owner", "ann", true);
  const cases: readonly [Principal, Principal, boolean][] = [
    [owners, person("member", "bob", false), true],
    [person("owner", "ann2", false), owners, false],
    [person("owner", "ann2", false), person("member", "bob", false), true],
    [person("member", "bob", false), person("member", "bob", false), true],
    [person("member", "bob", false), person("member", "sue", false), false],
    [person("member", "bob", false), owners, false],
    [person("guest", "gus", false), person("member", "bob", false), false],
    [person("program", "p", false), owners, false],
  ];
  for (const [by, of, expected] of cases) assert.equal(maySteer(by, of), expected, `${by.id} into ${of.id}`);
});

test("a session with guests runs on the loop, one with members on codex unless nothing would hold it back", () => {
  const unrestricted = { ...usual, securityMode: "unrestricted" } as const;
  const where = audiences.map((audience) =>
    [usual, unrestricted].map((settings) => whyNotOn(audience, "codex", settings) === undefined),
  );
  assert.deepEqual(where, [
    [true, true],
    [true, false],
    [false, false],
  ]);
  for (const audience of audiences) assert.equal(whyNotOn(audience, "loop", unrestricted), undefined);
  assert.equal(belongsTo("owner", "member"), false);
});
