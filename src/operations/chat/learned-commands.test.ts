import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Refusal } from "../../core/host.ts";
import { asId } from "../../core/ids.ts";
import type { Revision, RevisionFilter } from "../../core/learning.ts";
import { laterCompletions } from "./completions.ts";
import { type FakeOptions, call, fakeHost, guest, noSession, say } from "./fake-host.suite.ts";

const now = Date.UTC(2026, 0, 31, 12);
const day = 86_400_000;

const row = (id: string, also: Partial<Revision> = {}): Revision => ({
  id: asId<"rev">(id),
  at: now - day,
  kind: "memory",
  file: "memories/USER.md",
  by: "review",
  evidence: [],
  trusted: true,
  state: "active",
  summary: "USER.md: uses tabs",
  change: null,
  ...also,
});

const rows = [
  row("rev_b", {
    state: "proposed",
    trusted: false,
    by: "agent",
    summary: "USER.md: \u001b[31mred",
    why: "From the web.",
  }),
  row("rev_a", { evidence: ["I use\u0007 tabs"], session: asId<"ses">("ses_1") }),
  row("rev_old", { at: now - 20 * day, summary: "USER.md: old" }),
];

const hash = "0123456789ab";

const asked: RevisionFilter[] = [];
const learned: FakeOptions["over"] = {
  "learned.list": async (filter) => {
    asked.push(filter);
    return rows.filter(
      ({ at, state }) =>
        at >= (filter.since ?? 0) && (filter.states === undefined || filter.states.includes(state)),
    );
  },
  "learned.show": async ({ id }) => {
    const found = rows.find((one) => one.id === id);
    if (found === undefined) throw new Refusal("not_found", `There is no revision "${id}".`, "See the list.");
    return { ...found, diff: "--- a\n+++ b\n@@ -0,0 +1 @@\n+uses \u001b[31mtabs\n" };
  },
  "learned.approve": async ({ id }) => row(id, { summary: "USER.md: red" }),
  "learned.reject": async ({ id }) => row(id),
  "learned.revert": async () => row("rev_c", { reverts: asId<"rev">("rev_a") }),
  "learned.forgettable": async ({ text }) =>
    text === "none"
      ? { files: [], revisions: 0 }
      : {
          files: [
            { file: "memories/USER.md", gone: [`has ${text}`], whole: false },
            { file: "skills/x/SKILL.md", gone: [], whole: true },
            { file: `memories/projects/${hash}/MEMORY.md`, gone: [], whole: true },
          ],
          revisions: 2,
        },
  "learned.forget": async ({ text }) => ({
    files: [`memories/${text}.md`],
    revisions: 2,
    left: ["It was said in ses_1."],
    until: now,
  }),
  "learned.unforget": async ({ text }) => ({
    text: text ?? "the last",
    files: ["memories/USER.md"],
    left: [],
  }),
  "memory.show": async () => [
    {
      file: "memories/USER.md",
      target: "user",
      chars: 689,
      limit: 1375,
      entries: [
        { text: "uses\ntabs", since: now - 3 * day, by: "review", uses: 1 },
        { text: "ignore all", uses: 0, leftOut: "looks like an instruction" },
      ],
    },
    { file: "memories/MEMORY.md", target: "memory", chars: 0, limit: 2200, entries: [] },
    { file: `memories/projects/${hash}/MEMORY.md`, target: "project", chars: 0, limit: 2200, entries: [] },
  ],
  "skills.list": async () => [
    {
      name: "deploy",
      description: "How to deploy",
      source: "home",
      path: "/h/skills/deploy/SKILL.md",
      by: "review",
      state: "stale",
      pinned: true,
      uses: 3,
      lastUse: now - 40 * day,
    },
    {
      name: "theirs",
      description: "T",
      source: "project",
      path: "/p/SKILL.md",
      by: "person",
      state: "untrusted",
      pinned: false,
      uses: 0,
    },
  ],
  "sessions.refine": async ({ session }) => `Reviewed ${session}: nothing.`,
};
const host = fakeHost({ over: learned });
const text = async (line: string, from: typeof call = { ...call, now }): Promise<string> =>
  (await say(line, host, from)).text;

const ids = async (line: string): Promise<readonly string[]> =>
  (await laterCompletions(line, "tui", async () => host)).map(({ value }) => value);

describe("/learned", () => {
  test("lists what waits and what was learned, and nothing in it steers the screen", async () => {
    assert.equal(
      await text("/learned"),
      [
        "Waits for you:",
        "  rev_b  2026-01-30 12:00  agent  proposed  USER.md: \uFFFD[31mred",
        "Learned and changed in the last 7 days:",
        "  rev_a  2026-01-30 12:00  review    USER.md: uses tabs",
        "",
        "/learned approve ID accepts one, /learned reject ID does not.",
        "/learned show ID shows what it changed and why, /learned revert ID takes it back, /learned forget TEXT removes every trace.",
      ].join("\n"),
    );
    assert.match(await text("/learned 4w"), /in the last 4 weeks:\n.*\n.*USER\.md: old/);
    assert.match(await text("/learned 2026-01-31"), /Nothing was learned or changed since 2026-01-31\./);
    assert.equal((await say("/learned", host)).choose?.options[0]?.value, "rev_b");
  });

  test("shows one with its origin, its grounds and its diff", async () => {
    assert.equal(
      await text("/learned show rev_a"),
      [
        "rev_a  active  USER.md: uses tabs",
        "file     memories/USER.md",
        "by       review, 2026-01-30 12:00, in session ses_1",
        "trusted  yes",
        "said     I use\uFFFD tabs",
        "--- a",
        "+++ b",
        "@@ -0,0 +1 @@",
        "+uses \uFFFD[31mtabs",
        "/learned revert rev_a takes it back.",
      ].join("\n"),
    );
    assert.match(await text("/learned show rev_b"), /^trusted {2}no: .*\nwhy {6}From the web\.$/m);
  });

  test("decides, and says what came of each", async () => {
    assert.equal(await text("/learned approve rev_b"), "Accepted: USER.md: red.");
    assert.equal(
      await text("/learned reject rev_b rev_a"),
      "Rejected: USER.md: uses tabs.\nRejected: USER.md: uses tabs.",
    );
    assert.equal(await text("/learned revert rev_a"), "Taken back, as rev_c: memories/USER.md.");
    assert.match(
      await text("/learned show rev_x rev_a"),
      /^rev_x: There is no revision "rev_x"\. .*\n\nrev_a/,
    );
  });

  test("shows what would be forgotten and asks; --yes does it, for a day unforget takes it back", async () => {
    const { text: shown, choose } = await say("/learned forget uses  tabs", host);
    assert.equal(
      shown,
      "This would go:\n  memories/USER.md\n    - has uses tabs\n  skills/x/SKILL.md, all of it\n  the project's MEMORY.md, all of it\n  what 2 revisions say of it\nNothing was changed. /learned forget --yes uses tabs forgets it.",
    );
    assert.deepEqual(
      choose?.options.map(({ value }) => `${choose.command} ${value}`),
      ["/learned forget --no", "/learned forget --yes uses  tabs"],
    );
    assert.equal(await text("/learned forget --no"), "Nothing was forgotten.");
    assert.equal((await say("/learned forget none", host)).choose, undefined);
    assert.equal(
      await text("/learned forget --yes uses  tabs"),
      "Forgotten: it is out of 1 file, and no model is told it any more.\n  memories/uses tabs.md\nUntil 2026-01-31 12:00 /learned unforget takes it back. After that it is gone for good, also from 2 revisions.\nWhat is left:\n  It was said in ses_1.",
    );
    assert.equal(
      await text("/learned unforget"),
      'Taken back: what has "the last" is in 1 file again.\n  memories/USER.md',
    );
    assert.match(await text("/learned unforget uses tabs"), /"uses tabs"/);
  });

  test("wrong words are explained", async () => {
    assert.match(await text("/learned show"), /needs an id/);
    assert.match(await text("/learned forget"), /needs a text/);
    assert.match(await text("/learned soon"), /"soon" is not a time\. Write 24h/);
    assert.match(await text("/learned 7d please"), /^\/learned takes nothing/);
    assert.match(await text("/learned", { ...call, by: guest }), /owner only/);
  });

  test("ids are completed by what can be done to them", async () => {
    assert.deepEqual(await ids("/learned approve "), ["rev_b"]);
    assert.deepEqual(await ids("/learned revert rev_a"), ["rev_a"]);
    assert.deepEqual(await ids("/learned show "), ["rev_b", "rev_a", "rev_old"]);
    assert.deepEqual(await ids("/learned forget "), []);
  });
});

test("/memory shows entries with their age and use, how full the files are, and what waits", async () => {
  assert.equal(
    await text("/memory"),
    [
      "memories/USER.md: 50 % full (689 of 1375 characters)",
      "  uses tabs",
      "      3 days old, by review; used in 1 turn",
      "  ignore all",
      "      used in 0 turns; not told to models: looks like an instruction",
      "memories/MEMORY.md: 0 % full (0 of 2200 characters)",
      "  nothing yet",
      "this project's MEMORY.md: 0 % full (0 of 2200 characters)",
      "  nothing yet",
      "1 change waits for you: /learned shows it.",
    ].join("\n"),
  );
});

test("/skills lists them with source, state and uses", async () => {
  assert.equal(
    await text("/skills"),
    [
      "skill   source   by      state          uses",
      "deploy  home     review  stale, pinned  3 uses, last 40 days ago  How to deploy",
      "theirs  project  person  untrusted      never used                T",
      "Skills of this project are not used until you trust them: talaria skills trust",
    ].join("\n"),
  );
  assert.match((await say("/skills", fakeHost())).text, /^There are no skills yet/);
});

test("/refine reviews the session, and waits for its turn", async () => {
  assert.match(await text("/refine"), /^Reviewed ses_here000001/);
  assert.match(await text("/refine", noSession as typeof call), /^Nothing was said here yet/);
  assert.match(await text("/refine", { ...call, busy: true }), /has to wait/);
});
