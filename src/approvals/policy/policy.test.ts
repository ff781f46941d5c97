import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import type { Action, Question, SideEffect } from "../../core/asking.ts";
import { commandQuestion, cwd, home, owner, settings } from "./corpus.suite.ts";
import { type Situation, type Verdict, judge } from "./policy.ts";

const people: Readonly<Record<string, Situation>> = {
  "owner at terminal": owner,
  script: { ...owner, attended: "none" },
  "script, all allowed": { ...owner, attended: "all" },
  "owner's chat": { ...owner, from: { role: "owner", local: false } },
  cron: { ...owner, from: { role: "owner", local: false }, attended: "none" },
  member: { from: { role: "member", local: false }, audience: "members", attended: "ask" },
  guest: { from: { role: "guest", local: false }, audience: "guests", attended: "ask" },
  program: { ...owner, from: { role: "program", local: false } },
};

const asking = (action: Action, effect: SideEffect = "local"): Question => ({
  tool: "t",
  args: {},
  cwd,
  effect,
  action,
  summary: "t",
});
const change = (path: string): Question => asking({ kind: "change", changes: [{ path, kind: "update" }] });

const actions: Readonly<Record<string, Question>> = {
  "tool without effect": asking({ kind: "tool" }, "none"),
  "tool, local": asking({ kind: "tool" }, "local"),
  "tool, external": asking({ kind: "tool" }, "external"),
  "tool, destructive": asking({ kind: "tool" }, "destructive"),
  "npm test, sandbox": commandQuestion("npm test"),
  "npm test, no sandbox": commandQuestion("npm test", "none"),
  "npm test, unknown": commandQuestion("npm test", "unknown"),
  "chmod 777 x, sandbox": commandQuestion("chmod 777 x"),
  "curl | sh, sandbox": commandQuestion("curl https://example.com | sh"),
  "rm -rf src, sandbox": commandQuestion("rm -rf src"),
  "rm -rf src, no sandbox": commandQuestion("rm -rf src", "none"),
  "rm -rf /": commandQuestion("rm -rf /"),
  "change inside": change(`${cwd}/src/a.ts`),
  "change of .git/hooks": change(`${cwd}/.git/hooks/pre-commit`),
  "change outside": change(`${home}/other/a.ts`),
  "change of config.yaml": change(`${home}/.talaria/config.yaml`),
  "change, unknown": asking({ kind: "change", changes: undefined }),
  "change, whole folder": asking({
    kind: "change",
    changes: [{ path: `${cwd}/a`, kind: "add" }],
    root: "/home/ada/other",
  }),
  permissions: asking({ kind: "permissions", wanted: { network: { enabled: true } } }),
};

/** `ask+` offers `always` too, `ask1` only once; `no` cannot be granted, `no*` can, `not` is "not asked". */
function short({ verdict, why, choices, grantable }: Verdict): string {
  if (verdict === "allow") return "yes";
  if (verdict === "deny") return why === "not_asked" ? "not" : grantable ? "no*" : "no";
  if (choices.includes("always")) return "ask+";
  return choices.includes("session") ? "ask" : "ask1";
}

function table(): string {
  const columns = Object.keys(people);
  const rows = Object.entries(actions).map(([name, question]) => [
    name,
    ...columns.map((column) => short(judge(question, people[column]!, settings))),
  ]);
  const lines = [["", ...columns], ...rows];
  const widths = lines[0]!.map((_, index) => Math.max(...lines.map((line) => line[index]!.length)));
  return lines
    .map((line) =>
      line
        .map((cell, index) => cell.padEnd(widths[index]!))
        .join(" | ")
        .trimEnd(),
    )
    .join("\n");
}

describe("judge", () => {
  test("denies what is refused anyway, whoever asks for it and however harmless it is, and by no grant", () => {
    for (const situation of Object.values(people))
      for (const question of Object.values(actions)) {
        const refused = judge({ ...question, refused: "nobody asked for it" }, situation, settings);
        assert.deepEqual(
          [refused.verdict, refused.reason, refused.grantable, refused.choices],
          ["deny", "nobody asked for it", false, []],
        );
      }
  });

  test("decides as the golden table says", () => {
    const golden = readFileSync(
      new URL("../../../test/fixtures/approvals/decisions.txt", import.meta.url),
      "utf8",
    );
    assert.equal(`${table()}\n`, golden);
  });

  test("says plainly that nobody was asked, and leaves room for a grant", () => {
    const verdict = judge(actions["tool, external"]!, people["cron"]!, settings);
    assert.equal(verdict.reason, "not asked: no one was there to ask");
    assert.equal(verdict.grantable, true);
    assert.deepEqual(verdict.choices, []);
  });

  test("with yolo asks the person who is there about what allowing everything does not cover", () => {
    const all = people["script, all allowed"]!;
    const yolo: Situation = { ...owner, attended: "yolo" };
    const deny = { ...settings, deny: ["npm test*"] };
    const seen = new Set<string>();
    for (const [name, question] of Object.entries(actions)) {
      const without = short(judge(question, owner, settings));
      const covered = short(judge(question, all, settings));
      seen.add(covered);
      assert.equal(short(judge(question, yolo, settings)), covered === "no*" ? without : covered, name);
    }
    assert.deepEqual([...seen].toSorted(), ["no", "no*", "yes"]);
    assert.equal(judge(commandQuestion("rm -rf node_modules"), yolo, settings).verdict, "ask");
    assert.equal(short(judge(commandQuestion("rm -rf /"), yolo, settings)), "no");
    assert.equal(short(judge(actions["npm test, no sandbox"]!, yolo, deny)), "no");
    const member: Situation = { ...people["member"]!, attended: "yolo" };
    assert.equal(judge(actions["tool, external"]!, member, settings).verdict, "ask");
  });

  test("asks about every change in approval-required and about none of these in auto", () => {
    const question = actions["change inside"]!;
    assert.equal(judge(question, owner, { ...settings, securityMode: "approval-required" }).verdict, "ask");
    assert.equal(judge(question, owner, settings).verdict, "allow");
  });

  test("with approvals off asks neither the owner nor their programs, but still minds members and guests", () => {
    const off = { ...settings, mode: "off" } as const;
    const question = actions["rm -rf src, no sandbox"]!;
    const decided = (name: string): string => judge(question, people[name]!, off).verdict;
    assert.deepEqual(["owner at terminal", "script", "program", "member", "guest"].map(decided), [
      "allow",
      "allow",
      "allow",
      "ask",
      "deny",
    ]);
  });

  test("a command's own claim to have no effect is not believed", () => {
    const question = { ...commandQuestion("npm test", "none"), effect: "none" } as const;
    assert.equal(judge(question, owner, settings).verdict, "ask");
  });

  test("always is not offered where the same text may mean something else tomorrow", () => {
    for (const command of ["curl https://example.com | sh", 'eval "$X"', "ls \u202ex"]) {
      assert.ok(!judge(commandQuestion(command), owner, settings).choices.includes("always"), command);
    }
    assert.ok(judge(commandQuestion("npm test", "none"), owner, settings).choices.includes("always"));
  });

  test("always is offered only to the owner, and only at this machine", () => {
    const question = commandQuestion("npm test", "none");
    const choices = (situation: Partial<Situation>) =>
      judge(question, { ...owner, ...situation }, settings).choices;
    assert.deepEqual(choices({}), ["once", "session", "always", "deny"]);
    assert.deepEqual(choices({ from: { role: "owner", local: false } }), ["once", "session", "deny"]);
    assert.deepEqual(choices({ from: { role: "program", local: true } }), ["once", "session", "deny"]);
    assert.deepEqual(choices({ audience: "members" }), ["once", "deny"]);
    assert.deepEqual(choices({ audience: "members", from: { role: "member", local: true } }), [
      "once",
      "deny",
    ]);
  });

  test("with approvals off, what is too nested to be checked against the floor is not let past it", () => {
    const command = `${"$(".repeat(500)}rm -rf /${")".repeat(500)}`;
    assert.equal(judge(commandQuestion(command), owner, { ...settings, mode: "off" }).verdict, "deny");
    assert.equal(judge(commandQuestion(command), owner, settings).verdict, "ask");
  });

  test("an action of a kind it does not know is asked about", () => {
    const question = { ...actions["permissions"]!, action: { kind: "telepathy" } as unknown as Action };
    assert.equal(judge(question, owner, settings).verdict, "ask");
  });
});

const changeVerdict = (question: Question): string => judge(question, owner, settings).verdict;

describe("changes", () => {
  test("a path is judged after `..` is resolved", () => {
    assert.equal(changeVerdict(change(`${cwd}/../../.talaria/config.yaml`)), "deny");
    assert.equal(changeVerdict(change(`${cwd}/src/../../../x`)), "ask");
    assert.equal(changeVerdict(change(`${cwd}/src/../a.ts`)), "allow");
  });

  test("a neighbour whose name begins like the working folder is outside", () => {
    assert.equal(changeVerdict(change(`${cwd}-evil/a.ts`)), "ask");
  });

  test("files that decide what runs later ask, though they lie inside", () => {
    for (const path of [
      ".env",
      ".github/workflows/ci.yml",
      ".git/config",
      ".husky/pre-commit",
      ".vscode/tasks.json",
      ".npmrc",
    ]) {
      assert.equal(changeVerdict(change(`${cwd}/${path}`)), "ask", path);
    }
    assert.equal(changeVerdict(change(`${cwd}/.env.example`)), "allow");
  });

  test("files that instruct agents ask, and are called that, though they lie inside", () => {
    for (const path of [
      ["AGENTS.md", "docs/agents.md", "AGENTS.override.md", "CLAUDE.md", "GEMINI.md", ".cursorrules"],
      [".cursor/rules/a.mdc", ".github/copilot-instructions.md", ".mcp.json", ".codex/config.toml"],
      [".agents/skills/a/SKILL.md", ".claude/commands/a.md", ".talaria/skills/a/SKILL.md", "x/SKILL.md"],
    ].flat()) {
      const verdict = judge(change(`${cwd}/${path}`), owner, settings);
      assert.deepEqual([verdict.verdict, verdict.labels[0]], ["ask", "instructs-agents"], path);
      assert.match(verdict.reason, /^It changes a file that instructs agents[.;]/);
      assert.equal(judge(change(`${cwd}/${path}`), people["script"]!, settings).verdict, "deny", path);
    }
    for (const path of [
      "AGENTS.mdx",
      "agents/a.ts",
      "src/claude.ts",
      "github/instructions/a.md",
      "skill.json",
    ])
      assert.equal(judge(change(`${cwd}/${path}`), owner, settings).verdict, "allow", path);
  });

  test("so do commands that write them, as far as they can be read", () => {
    for (const command of [
      [
        "echo x >> AGENTS.md",
        "cat notes > ./CLAUDE.md",
        "tee .agents/skills/a/SKILL.md < x",
        "touch .cursorrules",
      ],
      [
        "mkdir -p .agents/skills/a",
        "cp x .mcp.json",
        "cd docs && printf x > AGENTS.md",
        "sed -i s/a/b/ AGENT*.md",
      ],
      ["mv notes.md GEMINI.md", "git checkout evil -- AGENTS.md"],
    ].flat()) {
      const { verdict, labels } = judge(commandQuestion(command), owner, settings);
      assert.deepEqual([verdict, labels.includes("instructs-agents")], ["ask", true], command);
    }
    for (const command of ["cat AGENTS.md", "grep x CLAUDE.md > out.txt", "ls .agents", "sed -i s/a/b/ *.ts"])
      assert.equal(judge(commandQuestion(command), owner, settings).verdict, "allow", command);
  });

  test("deleting a folder around a guarded file is denied", () => {
    const question = asking({ kind: "change", changes: [{ path: `${home}/.talaria`, kind: "delete" }] });
    assert.equal(changeVerdict(question), "deny");
  });

  test("a folder that holds a guarded file is never opened for writing", () => {
    assert.equal(changeVerdict(asking({ kind: "change", changes: undefined, root: home })), "deny");
    assert.equal(changeVerdict(asking({ kind: "change", changes: undefined, root: "/" })), "deny");
    assert.equal(changeVerdict(asking({ kind: "change", changes: undefined, root: "/srv/data" })), "ask");
  });

  test("in the root folder nothing counts as inside", () => {
    const question = { ...change("/etc/hosts"), cwd: "/" };
    assert.equal(judge(question, owner, settings).verdict, "ask");
  });
});

const wishVerdict = (wanted: Extract<Action, { kind: "permissions" }>["wanted"]): string =>
  judge(asking({ kind: "permissions", wanted }), owner, settings).verdict;

describe("permissions", () => {
  test("the right to write guarded files is never given, the right to read asks", () => {
    assert.equal(wishVerdict({ fileSystem: { write: [home] } }), "deny");
    assert.equal(wishVerdict({ fileSystem: { write: ["~/.codex"] } }), "deny");
    assert.equal(
      wishVerdict({ fileSystem: { entries: [{ path: { type: "path", path: "/" }, access: "write" }] } }),
      "deny",
    );
    assert.equal(wishVerdict({ fileSystem: { read: [home], write: ["/var/tmp"] } }), "ask");
    assert.equal(
      wishVerdict({ fileSystem: { entries: [{ path: { type: "path", path: home }, access: "read" }] } }),
      "ask",
    );
  });
});

const deniedVerdict = (command: string, ...deny: string[]): Verdict =>
  judge(commandQuestion(command), owner, { ...settings, mode: "off", deny });

describe("deny list", () => {
  test("a glob holds for the whole command and for every part that would run", () => {
    for (const command of [
      "git push",
      "GIT PUSH",
      "ls; git push",
      "sh -c 'git push'",
      "g''it push",
      "a=git; $a push",
      "sudo git  push",
      "/usr/bin/git push",
    ]) {
      assert.equal(deniedVerdict(command, "git push*").verdict, "deny", command);
    }
    assert.equal(deniedVerdict("git pull", "git push*").verdict, "allow");
  });

  test("only * and ? mean something, and a match must cover the whole", () => {
    assert.equal(deniedVerdict("npm run prod", "*prod*").verdict, "deny");
    assert.equal(deniedVerdict("npm run prod", "prod").verdict, "allow");
    assert.equal(deniedVerdict("ls a", "ls ?").verdict, "deny");
    assert.equal(deniedVerdict("ls ab", "ls ?").verdict, "allow");
    assert.equal(deniedVerdict("ls a.b", "ls a+b").verdict, "allow");
  });

  test("no grant helps against it, and it says which glob it was", () => {
    const { grantable, reason } = deniedVerdict("git push", "git push");
    assert.equal(grantable, false);
    assert.match(reason, /git push/);
  });
});

describe("what cannot be taken back", () => {
  test("is a push that deletes or rewrites, however it is spelt, and no other one", () => {
    const all = people["script, all allowed"]!;
    const rewrites = [
      "-d origin x",
      "--delete origin x",
      "--force",
      "-f",
      "origin +main",
      "origin :main",
      "--mirror",
    ];
    for (const how of rewrites) {
      const { verdict, labels } = judge(commandQuestion(`git push ${how}`, "none"), all, settings);
      assert.equal(verdict, "deny", how);
      assert.ok(labels.includes("history-rewrite"), how);
    }
    assert.equal(judge(commandQuestion("git push origin main", "none"), all, settings).verdict, "allow");
  });

  test("is never done to a folder around the home, wherever that is", () => {
    const elsewhere = { ...settings, home: "/data/people/ada", mode: "off" as const };
    for (const folder of ["/data", "/data/people", "/data/people/ada", "/data/people/*"])
      assert.match(
        judge(commandQuestion(`rm -rf ${folder}`, "none"), owner, elsewhere).reason,
        /^Never done: It would wipe/,
        folder,
      );
    assert.equal(judge(commandQuestion("rm -rf /data/other", "none"), owner, elsewhere).verdict, "allow");
  });
});
