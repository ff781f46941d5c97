import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  anyCharacter,
  array,
  assert as check,
  constantFrom,
  integer,
  oneof,
  property,
  string,
} from "../../../test/seeded.ts";
import { commandQuestion, corpus, cwd, home, owner, settings } from "./corpus.suite.ts";
import { inspect, mostSteps } from "./danger.ts";
import { judge } from "./policy.ts";

const dangerous = corpus("bypasses");
const context = { cwd, home, guarded: settings.guarded };
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** Each puts one more layer around any command. */
const disguises: readonly ((command: string) => string)[] = [
  (command) => `sh -c ${quoted(command)}`,
  (command) => `/bin/bash -lc ${quoted(command)}`,
  (command) => `eval ${quoted(command)}`,
  (command) => `disguised=${quoted(command)}; eval "$disguised"`,
  (command) => `bash <<< ${quoted(command)}`,
  (command) => `bash <<'END_OF_IT'\n${command}\nEND_OF_IT`,
  (command) => `echo ${base64(command)} | base64 -d | sh`,
  (command) => `$(echo sh) -c ${quoted(command)}`,
  (command) => `env -S "sh -c" ${quoted(command)}`,
  (command) => `bash <(printf '%s' ${quoted(command)})`,
  (command) => `timeout 5 nice sh -c ${quoted(command)}`,
  (command) => `true && { bash -c ${quoted(command)}; }`,
  (command) => `f() { "$@"; }; f sh -c ${quoted(command)}`,
];

/** Pieces that shells are made of, so that random texts are nearly commands. */
const shellText = array(
  oneof(
    constantFrom(..."'\"\\`$(){}[]<>|&;#~*?!=/ \n\t".split("")),
    constantFrom(
      "rm",
      "-rf",
      "$(",
      "${",
      "<<E",
      "E\n",
      "sh -c ",
      "eval ",
      "|",
      "&&",
      "x=",
      "$x",
      "case a in ",
      "esac",
      "f() ",
      "for i in ",
      "do ",
      "done",
      "{1..9}",
      "<(",
      "$'\\x",
      "((",
      "[[",
      "]]",
      "sudo ",
      "env -S ",
    ),
    string({ unit: anyCharacter, maxLength: 5 }),
  ),
  { maxLength: 40 },
).map((pieces) => pieces.join(""));

describe("judge, for any text", () => {
  test("answers, and without a sandbox never with yes", () => {
    check(
      property(
        oneof(shellText, string({ unit: anyCharacter })),
        constantFrom("none", "unknown"),
        (command, fence) => {
          assert.notEqual(judge(commandQuestion(command, fence), owner, settings).verdict, "allow");
        },
      ),
      { numRuns: 1000 },
    );
  });

  test("answers for programs that are called like parts of the language", () => {
    for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"]) {
      assert.equal(judge(commandQuestion(`${name} a`, "none"), owner, settings).verdict, "ask", name);
    }
  });

  test("answers the same twice", () => {
    check(
      property(shellText, (command) => {
        const question = commandQuestion(command);
        assert.deepEqual(judge(question, owner, settings), judge(question, owner, settings));
      }),
      { numRuns: 300 },
    );
  });

  test("says no to no less when the deny list grows", () => {
    const globs = array(oneof(constantFrom("*", "rm *", "?", "git*"), string({ maxLength: 6 })), {
      maxLength: 4,
    });
    check(
      property(
        oneof(shellText, constantFrom(...dangerous)),
        globs,
        globs,
        constantFrom("manual", "off"),
        (command, deny, more, mode) => {
          const few = judge(commandQuestion(command), owner, { ...settings, mode, deny });
          const many = judge(commandQuestion(command), owner, {
            ...settings,
            mode,
            deny: [...deny, ...more],
          });
          assert.ok(few.verdict !== "deny" || many.verdict === "deny");
          assert.ok(many.verdict !== "allow" || few.verdict === "allow");
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe("disguises", () => {
  test("one to three layers around a labelled command never take all its labels away", () => {
    const layers = array(constantFrom(...disguises), { minLength: 1, maxLength: 3 });
    check(
      property(
        constantFrom(...dangerous.filter((command) => !command.includes("\0"))),
        layers,
        (command, around) => {
          const hidden = around.reduce((inner, disguise) => disguise(inner), command);
          assert.notDeepEqual(inspect(hidden, context).labels, [], hidden);
        },
      ),
      { numRuns: 500 },
    );
  });

  test("no layer brings a command past the floor", () => {
    const floor = corpus("floor").filter((command) => !/␀|PPID/.test(command));
    check(
      property(constantFrom(...floor), constantFrom(...disguises), (command, disguise) => {
        const question = commandQuestion(disguise(command));
        assert.equal(judge(question, owner, { ...settings, mode: "off" }).verdict, "deny", disguise(command));
      }),
      { numRuns: 500 },
    );
  });
});

describe("effort", () => {
  const pieces = [
    "'",
    "\\",
    "`",
    "$(",
    "{a,",
    "{a,b}",
    "<(",
    "[[ ",
    "<<E\n",
    "a;",
    "x=1;",
    "eval ",
    "env -S ",
    "a=$a$a;",
    "cd a;",
    ">a ",
  ];

  test("of 200 KB stays within its budget, and what was left out is said", () => {
    for (const piece of pieces) {
      const { steps, cut, labels } = inspect(piece.repeat(Math.ceil(200_000 / piece.length)), context);
      assert.ok(steps <= mostSteps, piece);
      assert.ok(labels.includes("obscure"), piece);
      assert.ok(!cut || labels.includes("obscure"), piece);
    }
  });

  test("grows no faster than the text", () => {
    check(
      property(constantFrom(...pieces), integer({ min: 50, max: 300 }), (piece, times) => {
        const once = inspect(piece.repeat(times), context);
        const twice = inspect(piece.repeat(times * 2), context);
        assert.ok(
          once.cut || twice.cut || twice.steps <= once.steps * 4 + 2000,
          `${piece}: ${once.steps}, ${twice.steps}`,
        );
      }),
      { numRuns: 60 },
    );
  });

  test("of a short text that would grow without end is bounded too", () => {
    const doubling = Array.from({ length: 40 }, (_, index) => `f${index}(){ f${index + 1}; f${index + 1}; }`)
      .toReversed()
      .join(";");
    for (const command of [`${doubling};f0`, `a=xxxxxxxx;${"a=$a$a;".repeat(60)}`, "{1..999}".repeat(5)]) {
      const { steps, cut } = inspect(command, context);
      assert.ok(steps <= mostSteps && (cut || command.startsWith("a=")), command.slice(0, 40));
    }
  });
});
