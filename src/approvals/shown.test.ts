import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "../../test/seeded.ts";
import type { FileChange, Question } from "../core/asking.ts";
import { asId } from "../core/ids.ts";
import type { StoredApproval } from "../core/ledger.ts";
import { shownChanges, shownLines } from "./shown.ts";
import { localOwner } from "../core/principal.ts";

const question = (also: Partial<Question> = {}): Question => ({
  tool: "terminal",
  args: {},
  cwd: "/work",
  effect: "local",
  action: { kind: "tool" },
  summary: "something",
  ...also,
});

const command = (text: string, also: Partial<Question> = {}): Question =>
  question({ action: { kind: "command", command: text, fence: "none" }, ...also });

const change = (changes: readonly FileChange[] | undefined, root?: string): Question =>
  question({ action: { kind: "change", changes, ...(root === undefined ? {} : { root }) } });

describe("what is shown of a command", () => {
  test("is all of it, where it would run, why, and on what", () => {
    const asked = command("make\nmake install", {
      reason: "to try it",
      args: { command: "make\nmake install", cwd: "/work", background: true },
    });
    assert.deepEqual(shownLines(asked, "codex", { because: "it leaves the sandbox", labels: ["installs"] }), [
      "command:",
      "    make",
      "    make install",
      "sandbox: none: it can do whatever you can",
      "arguments:",
      "    {",
      '      "background": true',
      "    }",
      "folder: /work",
      "reason:",
      "    to try it",
      "runtime: codex",
      "asks because: it leaves the sandbox",
      "danger: installs",
    ]);
  });

  test("says when something in it cannot be seen", () => {
    const lines = shownLines(command("ls \u202E#"), "loop");
    assert.ok(lines.includes("    ls \\u{202E}#"));
    assert.ok(lines.some((line) => line.startsWith("note: contains hidden")));
    assert.ok(!shownLines(command("ls #"), "loop").some((line) => line.startsWith("note:")));
  });

  test("never leaves the folder empty", () => {
    assert.ok(shownLines(command("ls", { cwd: "" }), "loop").includes("folder: (not known)"));
  });

  test("has the beginning and the end of what is long, and counts the rest", () => {
    const lines = shownLines(command(`begin${"x".repeat(9000)}end`), "loop");
    assert.match(lines[1] ?? "", /^ {4}beginx+$/);
    assert.equal(lines[2], "  [5008 characters in 1 line left out]");
    assert.match(lines[3] ?? "", /^ {4}x+end$/);
    const many = shownLines(command(Array.from({ length: 100 }, (_, n) => `step ${n}`).join("\n")), "loop");
    assert.equal(many[20], "    step 19");
    assert.match(many[21] ?? "", /^ {2}\[\d+ characters in 60 lines left out\]$/);
    assert.equal(many[22], "    step 80");
  });

  test("determines the command when nothing was left out", () => {
    fc.assert(
      fc.property(anyText, anyText, (text, reason) => {
        fc.pre(text.length <= 4000 && text.split("\n").length <= 40);
        const lines = shownLines(command(text, { reason, cwd: reason, args: { note: reason } }), "loop");
        assert.equal(lines[0], "command:");
        const end = lines.findIndex((line, at) => at > 0 && !line.startsWith("    "));
        const back = lines.slice(1, end).map((line) => putBack(line.slice(4)));
        assert.equal(back.join("\n"), text);
      }),
      { numRuns: 500 },
    );
  });
});

describe("what is shown of a change", () => {
  const four: readonly FileChange[] = [
    { path: "/w/a", kind: "update", diff: "-old\n+\tnew" },
    { path: "/w/b", kind: "add", diff: "+b" },
    { path: "/w/c", kind: "update", diff: "+c" },
    { path: "/w/d", kind: "delete" },
  ];

  test("counts the kinds in order and names three files", () => {
    assert.equal(shownChanges(four.slice(0, 3)), "1 add, 2 update: /w/a, /w/b, /w/c");
    assert.equal(shownChanges(four), "1 add, 1 delete, 2 update: /w/a, /w/b, /w/c, +1 more");
    assert.equal(shownChanges([]), "1 change pending");
    assert.equal(shownChanges(undefined), "not known");
  });

  test("has every file with its diff, and the folder that would be opened", () => {
    const lines = shownLines(change(four, "/w"), "codex");
    assert.deepEqual(lines.slice(0, 11), [
      "change: 1 add, 1 delete, 2 update: /w/a, /w/b, /w/c, +1 more",
      "  update /w/a:",
      "    -old",
      "    +→   new",
      "  add /w/b:",
      "    +b",
      "  update /w/c:",
      "    +c",
      "  delete /w/d",
      "opens for writing, with everything in it: /w",
      "folder: /work",
    ]);
  });

  test("says when nobody knows it", () => {
    const lines = shownLines({ ...change(undefined), args: { patch: "?" } }, "codex");
    assert.equal(lines[0], "change: not known");
    assert.ok(lines.includes("note: nobody can say what exactly would be changed"));
    assert.ok(lines.includes('      "patch": "?"'));
  });

  test("has the first and the last files of very many", () => {
    const many = Array.from({ length: 30 }, (_, n): FileChange => ({ path: `/w/${n}`, kind: "delete" }));
    const lines = shownLines(change(many), "loop");
    assert.equal(lines[10], "  delete /w/9");
    assert.equal(lines[11], "  [10 more changes left out]");
    assert.equal(lines[12], "  delete /w/20");
  });
});

test("permissions are spelled out one by one", () => {
  const wanted = { network: { enabled: true }, fileSystem: { read: null, write: ["/var/tmp", "/x\n"] } };
  assert.deepEqual(shownLines(question({ action: { kind: "permissions", wanted } }), "codex").slice(0, 4), [
    "permissions asked for:",
    "    network enabled: true",
    "    fileSystem write: /var/tmp",
    "    fileSystem write: /x\\u{A}",
  ]);
});

test("a tool is shown with its arguments", () => {
  assert.deepEqual(shownLines(question({ tool: "send", args: { to: "x" } }), "loop").slice(0, 5), [
    "tool: send",
    "what: something",
    "arguments:",
    "    {",
    '      "to": "x"',
  ]);
});

const earlier = (also: Partial<StoredApproval>): StoredApproval => ({
  id: asId<"apr">("apr_1"),
  session: asId<"ses">("ses_1"),
  turn: asId<"trn">("trn_1"),
  runtime: "loop",
  surface: "cli",
  asker: localOwner("cli"),
  hash: "",
  question: question(),
  shown: [],
  choices: [],
  labels: [],
  state: "denied",
  askedAt: Date.UTC(2026, 0, 2, 3, 4, 5),
  expiresAt: 0,
  ...also,
});

const saidOf = (also: Partial<StoredApproval>): string =>
  shownLines(question(), "loop", { before: earlier(also) }).at(-1) ?? "";

test("a question that was asked before says when, and what became of it", () => {
  assert.equal(saidOf({ by: "ann" }), "asked before: 2026-01-02 03:04:05 UTC, and ann said no");
  assert.match(
    saidOf({ state: "expired", reason: "Talaria was ended" }),
    /nobody answered \(Talaria was ended\)$/,
  );
  assert.match(saidOf({ state: "once", by: "ann" }), /ann allowed it once$/);
});

test("no line holds a character that steers a screen, whatever comes in", () => {
  const json = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Question["args"]>;
  const changes = fc.array(
    fc.record({ path: anyText, kind: fc.constantFrom("add" as const, "move" as const), diff: anyText }),
    { maxLength: 3 },
  );
  const actions: fc.Arbitrary<Question["action"]> = fc.oneof(
    fc.record({
      kind: fc.constant("command" as const),
      command: anyText,
      fence: fc.constant("none" as const),
    }),
    fc.record({ kind: fc.constant("change" as const), changes, root: anyText }),
    fc.record({ kind: fc.constant("permissions" as const), wanted: json }),
    fc.record({ kind: fc.constant("tool" as const) }),
  );
  fc.assert(
    fc.property(actions, anyText, json, (action, text, args) => {
      const asked = question({ action, args, tool: text, cwd: text, summary: text, reason: text });
      for (const line of shownLines(asked, text, { because: text, labels: [text] }))
        assert.doesNotMatch(line, steering);
    }),
    { numRuns: 500 },
  );
});

const steering = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\u200B-\u200F\u2060-\u206F\uFEFF\u00AD]/u;

const anyText = fc.oneof(
  fc.string({ unit: fc.anyCharacter, maxLength: 40 }),
  fc
    .array(fc.constantFrom(..."ab \\u{}\n\n\t\r\u202E\u200B\u001B ", "    ", "command:", "note: "), {
      maxLength: 30,
    })
    .map((parts) => parts.join("")),
);

const putBack = (shown: string): string =>
  shown.replaceAll(/\\u\{([0-9A-F]+)(?:\*(\d+))?\}/g, (_, code: string, times = "1") =>
    String.fromCodePoint(Number.parseInt(code, 16)).repeat(Number(times)),
  );
