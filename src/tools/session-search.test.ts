import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fakeClock } from "../../test/fakes/fake-clock.ts";
import { type SessionId, asId } from "../core/ids.ts";
import type { Message } from "../core/messages.ts";
import type { SearchHit, SearchQuery, Session, StoredMessage } from "../core/session.ts";
import { toolBox } from "./registry.ts";
import { type SessionSources, sessionSearchTool } from "./session-search.ts";
import { ownersTurn } from "../../test/owners-turn.ts";

const ses = (name: string): SessionId => asId<"ses">(`ses_000000000${name}`);
const at = Date.UTC(2026, 7, 1, 10, 30);
const current = ses("now");

const session = (id: SessionId, more: Partial<Session> = {}): Session => ({
  id,
  cwd: "/repo",
  surface: "cli",
  audience: "owner",
  createdAt: at,
  updatedAt: at,
  ...more,
});
const hit = (id: SessionId, seq: number): SearchHit => ({
  session: id,
  title: "Fix the build",
  turn: asId<"trn">("trn_1"),
  seq,
  role: "user",
  at,
  snippet: "why does the «build»\nfail",
});
const stored = (
  seq: number,
  message: Message = { role: "user", content: `message ${seq}` },
): StoredMessage => ({
  seq,
  turn: asId<"trn">("trn_1"),
  item: asId<"itm">(`itm_${seq}`),
  at,
  message,
});
const many = (count: number) => Array.from({ length: count }, (_, n) => stored(n + 1));

/** Sources over fixed data, which remember what they were asked. */
function sources(data: { hits?: SearchHit[]; sessions?: Session[]; messages?: StoredMessage[] }) {
  const queries: SearchQuery[] = [];
  const made: SessionSources = {
    async search(query) {
      queries.push(query);
      return (data.hits ?? []).slice(0, query.limit);
    },
    recent: async (limit) => (data.sessions ?? []).slice(0, limit),
    async messages(_session, window) {
      const all = data.messages ?? [];
      if (window === undefined) return all;
      const before = all.filter(({ seq }) => seq < window.around).slice(-window.radius);
      const from = all.filter(({ seq }) => seq >= window.around);
      return [...before, ...from.slice(0, window.radius + (from[0]?.seq === window.around ? 1 : 0))];
    },
  };
  const box = toolBox([sessionSearchTool(made)], {
    session: current,
    turn: asId<"trn">("trn_1"),
    ...ownersTurn,
    cwd: "/repo",
    clock: fakeClock(),
    ask: () => assert.fail("searching asked for permission"),
    inquire: async () => undefined,
  });
  const search = (args: Record<string, unknown>) =>
    box.call("session_search", args, new AbortController().signal);
  return { queries, search };
}

describe("with words", () => {
  test("it shows a hit of each session and the messages around the first", async () => {
    const { search } = sources({
      hits: [hit(ses("a"), 10), hit(ses("a"), 11), hit(ses("b"), 2)],
      messages: many(20),
    });
    const { ok, output } = await search({ query: " build " });
    assert.equal(ok, true);
    assert.equal(
      output,
      `1. ses_000000000a · Fix the build · #10 · user · 2026-08-01T10:30:00Z
   why does the «build» fail
2. ses_000000000b · Fix the build · #2 · user · 2026-08-01T10:30:00Z
   why does the «build» fail

Around the first of them, in ses_000000000a:
${[5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15].map((n) => `#${n} user 2026-08-01T10:30:00Z: message ${n}`).join("\n")}

How that session began:
${[1, 2, 3].map((n) => `#${n} user 2026-08-01T10:30:00Z: message ${n}`).join("\n")}

How it ended:
${[18, 19, 20].map((n) => `#${n} user 2026-08-01T10:30:00Z: message ${n}`).join("\n")}

To see more, give session_id, and around with the number after #.`,
    );
  });

  test("it leaves out the current session and looks at what people and the assistant said", async () => {
    const { search, queries } = sources({});
    const { ok, output } = await search({ query: "build" });
    assert.deepEqual(queries, [
      { text: "build", limit: 12, roles: ["user", "assistant"], excludeSession: current },
    ]);
    assert.equal(ok, true);
    assert.match(output, /^Nothing was found for "build"/);
  });

  test("it passes on order, role, number and a named session, the current one too", async () => {
    const { search, queries } = sources({ hits: [hit(current, 1), hit(current, 2), hit(current, 3)] });
    const { output } = await search({
      query: "build",
      session_id: current,
      sort: "newest",
      role: "tool",
      limit: 2,
    });
    assert.deepEqual(queries, [
      { text: "build", limit: 2, roles: ["tool"], session: current, sort: "newest" },
    ]);
    assert.match(output, /^1\. [^]*#1 [^]*^2\. [^]*#2 /m);
  });
});

describe("with a session", () => {
  test("and a message it shows that one at length and its neighbours in short", async () => {
    const long = "x".repeat(3000);
    const messages = [
      stored(1, { role: "user", content: long }),
      stored(2, { role: "assistant", content: long }),
      stored(9),
    ];
    const { output } = await sources({ messages }).search({ session_id: ses("a"), around: 2, limit: 3 });
    assert.match(
      output,
      /^ses_000000000a, around #2:\n#1 user \S+: x{300}\n\[2400 characters left out\]\nx{300}\n#2 assistant \S+: x{3000}\n#9 user \S+: message 9$/,
    );
  });

  test("alone it reads it, calls and pictures in words", async () => {
    const messages = [
      stored(1, {
        role: "user",
        content: [
          { type: "text", text: "look" },
          { type: "image", name: "a.png", mediaType: "image/png", base64: "AA==" },
        ],
      }),
      stored(2, {
        role: "assistant",
        content: "",
        toolCalls: [{ id: "c", name: "exec_command", arguments: '{"command":"ls"}' }],
      }),
      stored(3, { role: "tool", toolCallId: "c", content: "README.md" }),
    ];
    const { output } = await sources({ messages }).search({ session_id: ses("a") });
    assert.equal(
      output,
      `ses_000000000a:
#1 user 2026-08-01T10:30:00Z: look
[image: a.png]
#2 assistant 2026-08-01T10:30:00Z: [calls exec_command {"command":"ls"}]
#3 tool 2026-08-01T10:30:00Z: README.md`,
    );
  });

  test("that is long it shows beginning and end, and says what is missing", async () => {
    const { output } = await sources({ messages: many(100) }).search({ session_id: ses("a"), limit: 8 });
    assert.deepEqual(
      output.split("\n").map((line) => /^#\d+|^\[.*\]$/.exec(line)?.[0]),
      [
        undefined,
        "#1",
        "#2",
        "[92 messages left out; see them with around]",
        "#95",
        "#96",
        "#97",
        "#98",
        "#99",
        "#100",
      ],
    );
    const whole = await sources({ messages: many(30) }).search({ session_id: ses("a") });
    assert.equal(whole.output.split("\n").length, 31);
  });

  test("that is not there it says so", async () => {
    const { search } = sources({});
    for (const args of [
      { session_id: ses("x") },
      { session_id: ses("x"), around: 3 },
      { session_id: "yesterday" },
    ]) {
      const { ok, output } = await search(args);
      assert.equal(ok, false);
      assert.match(output, /no session|no such session|not a session id/);
    }
  });
});

describe("with nothing", () => {
  test("it lists the latest sessions without the current one", async () => {
    const sessions = [
      session(current),
      session(ses("a"), { title: "Fix the\nbuild" }),
      session(ses("b")),
      session(ses("c")),
    ];
    const { output } = await sources({ sessions }).search({ query: " ", limit: 2 });
    assert.equal(
      output,
      `Latest sessions:
ses_000000000a · Fix the build · 2026-08-01T10:30:00Z · cli · /repo
ses_000000000b · (no title) · 2026-08-01T10:30:00Z · cli · /repo`,
    );
  });

  test("it says when there are none", async () => {
    const { search } = sources({ sessions: [session(current)] });
    assert.deepEqual(await search({}), { ok: true, output: "There are no earlier sessions." });
  });

  test("but a message number it asks for the session", async () => {
    const { ok, output } = await sources({}).search({ around: 3 });
    assert.equal(ok, false);
    assert.match(output, /around needs a session_id/);
  });
});
