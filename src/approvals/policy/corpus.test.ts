import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { commandQuestion, corpus, owner, settings } from "./corpus.suite.ts";
import { type PolicySettings, type Verdict, judge } from "./policy.ts";

const verdicts = (commands: readonly string[], how: (command: string) => Verdict) =>
  commands.map((command) => ({ command, ...how(command) }));

const commandsOf = (found: readonly { readonly command: string }[]) => found.map(({ command }) => command);

describe("bypass corpus", () => {
  const dangerous = corpus("bypasses");
  const unseen = corpus("unseen");

  test("holds at least 300 different strings whose danger can be seen", () => {
    assert.ok(new Set(dangerous).size >= 300);
    assert.equal(new Set(dangerous).size, dangerous.length, "none stands there twice");
  });

  for (const fence of ["none", "unknown"] as const) {
    test(`is never allowed when the fence is ${fence}`, () => {
      const all = [...dangerous, ...unseen, ...corpus("floor"), ...corpus("harmless")];
      for (const securityMode of ["auto", "approval-required"] as const) {
        const found = verdicts(all, (command) =>
          judge(commandQuestion(command, fence), owner, { ...settings, securityMode }),
        );
        assert.deepEqual(commandsOf(found.filter(({ verdict }) => verdict === "allow")), []);
      }
    });
  }

  test("carries a danger label and asks, even with a sandbox", () => {
    const found = verdicts(dangerous, (command) => judge(commandQuestion(command), owner, settings));
    assert.deepEqual(commandsOf(found.filter(({ labels }) => labels.length === 0)), []);
    assert.deepEqual(commandsOf(found.filter(({ verdict }) => verdict === "allow")), []);
  });

  test("lists apart, truthfully, what only the sandbox holds", () => {
    const found = verdicts(unseen, (command) => judge(commandQuestion(command), owner, settings));
    assert.deepEqual(commandsOf(found.filter(({ labels }) => labels.length > 0)), []);
  });

  test("reads the same inside the wrapper that codex puts around commands", () => {
    for (const command of dangerous) {
      const wrapped = `/bin/bash -lc '${command.replaceAll("'", `'\\''`)}'`;
      assert.notDeepEqual(judge(commandQuestion(wrapped), owner, settings).labels, [], wrapped);
    }
  });
});

describe("floor corpus", () => {
  const floor = corpus("floor");
  const open: readonly PolicySettings[] = [
    settings,
    { ...settings, mode: "off" },
    { ...settings, securityMode: "unrestricted" },
    { ...settings, mode: "off", securityMode: "unrestricted" },
  ];

  test("holds at least 60 different strings", () => {
    assert.ok(new Set(floor).size >= 60);
  });

  test("is denied whatever is switched off, and no grant helps", () => {
    for (const each of open) {
      for (const attended of ["ask", "none", "all", "yolo"] as const) {
        const found = verdicts(floor, (command) =>
          judge(commandQuestion(command), { ...owner, attended }, each),
        );
        const passed = found.filter(
          ({ verdict, grantable, why }) => verdict !== "deny" || grantable || why !== "policy",
        );
        assert.deepEqual(commandsOf(passed), []);
      }
    }
  });

  test("leaves everything else alone when approvals are off", () => {
    const others = [...corpus("bypasses"), ...corpus("unseen"), ...corpus("harmless")];
    const found = verdicts(others, (command) =>
      judge(commandQuestion(command), owner, { ...settings, mode: "off" }),
    );
    assert.deepEqual(commandsOf(found.filter(({ verdict }) => verdict !== "allow")), []);
  });
});

describe("harmless corpus", () => {
  const harmless = corpus("harmless");

  test("holds at least 60 different strings", () => {
    assert.ok(new Set(harmless).size >= 60);
  });

  test("carries no label and is not asked about inside a sandbox", () => {
    const found = verdicts(harmless, (command) => judge(commandQuestion(command), owner, settings));
    assert.deepEqual(
      found.filter(({ verdict }) => verdict !== "allow").map(({ command, labels }) => ({ command, labels })),
      [],
    );
  });
});
