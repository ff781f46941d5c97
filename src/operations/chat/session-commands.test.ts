import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ContextBill } from "../../core/context-bill.ts";
import { Refusal } from "../../core/host.ts";
import { asId } from "../../core/ids.ts";
import type { Message } from "../../core/messages.ts";
import { call, failing, fakeHost, listed, noSession, say } from "./fake-host.suite.ts";

const some = [
  listed("ses_here000001", { title: "The login bug" }),
  listed("ses_b", { title: "Holiday plans", cwd: "/home" }),
  listed("ses_c", { preview: "plan\nthe \u001B[31mgarden" }),
  listed("ses_d", { title: "plan" }),
];
const sessions = fakeHost({ sessions: some });

describe("/new", () => {
  test("goes on in a new session, with a title if one is given", async () => {
    assert.deepEqual(await say("/new", fakeHost(), noSession), {
      text: "A new session starts with your next message.",
      session: null,
    });
    const named = await say("/reset  My\ttrip ");
    assert.deepEqual([named.session, named.title], [null, "My trip"]);
  });

  test("and whatever else leaves a session say the one command that goes back to it", async () => {
    for (const line of ["/new", "/new My trip", "/fork", "/resume ses_b"]) {
      const { text, session } = await say(line, sessions);
      const back = /Back: (\/resume \S+)$/.exec(text)?.[1];
      assert.equal(back, "/resume ses_here000001", line);
      assert.equal(
        (await say(back, sessions, session ? { ...call, session } : noSession)).session,
        call.session,
      );
    }
  });
});

describe("/sessions", () => {
  test("numbers the sessions, marks the present one and shows how each began", async () => {
    assert.deepEqual((await say("/sessions 3", sessions)).text.split("\n"), [
      "* 1  ses_here000001  1970-01-01 00:01  The login bug",
      "  2  ses_b           1970-01-01 00:01  Holiday plans",
      "  3  ses_c           1970-01-01 00:01  plan the \uFFFD[31mgarden",
    ]);
  });

  test("says so when there are none, and refuses what is no number", async () => {
    assert.equal((await say("/sessions", fakeHost({ sessions: [] }))).text, "There are no sessions yet.");
    for (const arg of ["0", "101", "many", "-1"]) {
      assert.equal((await say(`/sessions ${arg}`)).text, "/sessions takes a number from 1 to 100.", arg);
    }
  });
});

describe("/resume", () => {
  test("without an argument offers the sessions to choose from", async () => {
    const { text, choose, session } = await say("/resume", sessions);
    assert.match(text, /^\* 1 +ses_here000001.*\n[^]*\/resume NUMBER/);
    assert.equal(session, undefined);
    assert.equal(choose?.command, "/resume");
    assert.deepEqual(choose?.options[1], {
      value: "ses_b",
      label: "Holiday plans",
      detail: "1970-01-01 00:01  /home",
    });
    assert.equal(choose?.options[0]?.label, "The login bug (this one)");
  });

  test("takes an id, the row of the list, a whole title, or words that fit one title", async () => {
    for (const [arg, id] of [
      ["ses_b", "ses_b"],
      ["SES_B", "ses_b"],
      ["2", "ses_b"],
      ["holiday", "ses_b"],
      ["plans HOLI", "ses_b"],
      ["garden", "ses_c"],
      ["plan", "ses_d"],
    ] as const) {
      assert.equal((await say(`/resume ${arg}`, sessions)).session, id, arg);
    }
    assert.equal(
      (await say("/resume 2", sessions)).text,
      'You go on with "Holiday plans" (ses_b): 0 turns, last on 1970-01-01 00:01, in /home.\nBack: /resume ses_here000001',
    );
  });

  test("offers those that fit when there are several, and goes nowhere", async () => {
    const { text, choose, session } = await say("/resume pla", sessions);
    assert.equal(session, undefined);
    assert.match(text, /^Several sessions match:\n {2}ses_b {2}Holiday plans\n/);
    assert.equal(choose?.command, "/resume");
    assert.deepEqual(
      choose?.options.map(({ value }) => value),
      ["ses_b", "ses_c", "ses_d"],
    );
  });

  test("says so when none fits, when it is the present one, and when there are none", async () => {
    assert.match(
      (await say("/resume 99", sessions)).text,
      /^No session matches "99"\. \/sessions lists them/,
    );
    assert.deepEqual(await say("/resume 1", sessions), { text: "You are in that session already." });
    assert.deepEqual(await say("/resume", fakeHost({ sessions: [] })), {
      text: "There are no sessions yet.",
    });
  });

  test("says what goes along that was chosen before", async () => {
    const chosen = { ...noSession, choices: { model: "small", record: true } };
    assert.match(
      (await say("/resume 2", sessions, chosen)).text,
      /takes along what you chose: model small, record on\.$/,
    );
  });
});

describe("/title", () => {
  test("shows the title, and sets another one", async () => {
    const host = fakeHost({ sessions: some });
    assert.equal((await say("/title", host)).text, 'This session is called "The login bug".');
    assert.equal(
      (await say("/title The  logout bug", host)).text,
      'This session is called "The logout bug" now.',
    );
    assert.deepEqual(host.calls, ['sessions.rename {"session":"ses_here000001","title":"The logout bug"}']);
    assert.equal((await say("/title")).text, "This session has no title yet.");
  });

  test("changes nothing when it is called that already, or when there is no session yet", async () => {
    const host = fakeHost({ sessions: some });
    assert.equal((await say("/title The login bug", host)).text, "It is called that already.");
    assert.match((await say("/title x", host, noSession)).text, /no session yet/);
    assert.deepEqual(host.calls, []);
  });
});

describe("/history", () => {
  const rows: readonly Message[] = [
    { role: "user", content: "list\nthe files" },
    {
      role: "assistant",
      content: "",
      toolCalls: [{ id: "1", name: "terminal", arguments: '{"command":"ls"}' }],
    },
    { role: "tool", toolCallId: "1", content: "x".repeat(200) },
    { role: "assistant", content: "There is one." },
  ];
  const stored = rows.map((message, seq) => ({
    seq,
    turn: asId<"trn">("t"),
    item: asId<"itm">("i"),
    at: 0,
    message,
  }));
  const host = fakeHost({
    over: {
      "sessions.messages": async ({ last = stored.length }) => stored.slice(-last),
      "sessions.count": async () => ({ turns: 1, messages: stored.length, takenBack: 0 }),
    },
  });

  test("shows the last messages with their roles, a line each", async () => {
    assert.deepEqual((await say("/history", host)).text.split("\n"), [
      "user       list the files",
      'assistant  → terminal {"command":"ls"}',
      `tool       ${"x".repeat(99)}…`,
      "assistant  There is one.",
    ]);
    assert.deepEqual((await say("/history 1", host)).text.split("\n"), [
      "… 3 before",
      "assistant  There is one.",
    ]);
  });

  test("says so when nothing was said, and refuses what is no number", async () => {
    assert.equal((await say("/history")).text, "Nothing has been said yet.");
    assert.equal((await say("/history", host, noSession)).text, "Nothing has been said yet.");
    assert.match((await say("/history all", host)).text, /takes a number/);
  });
});

describe("/fork", () => {
  test("goes on in the copy", async () => {
    const { text, session } = await say("/branch");
    assert.equal(session, "ses_fork000001");
    assert.match(text, /ses_here000001 stays as it is/);
  });

  test("has nothing to copy before the first message", async () => {
    const host = fakeHost();
    assert.deepEqual(await say("/fork", host, noSession), {
      text: "There is nothing to fork: no session has begun.",
    });
    assert.deepEqual(host.calls, []);
  });
});

describe("/compress", () => {
  test("takes a focus, pins and undo, and says why it was refused", async () => {
    assert.equal((await say("/compress")).text, '{"do":"compress"}');
    assert.equal((await say("/compress the login bug")).text, '{"do":"compress","focus":"the login bug"}');
    assert.equal((await say("/compact pin  never\tpush")).text, '{"do":"pin","text":"never push"}');
    assert.equal((await say("/compress pin")).text, '{"do":"pins"}');
    assert.equal((await say("/compress unpin 2")).text, '{"do":"unpin","number":2}');
    assert.equal((await say("/compress undo")).text, '{"do":"undo"}');
    const refusing = fakeHost({
      over: { "sessions.compress": failing(new Refusal("busy", "Busy.", "Wait.")) },
    });
    assert.equal((await say("/compress", refusing)).text, "Busy. Wait.");
    assert.match((await say("/compress", fakeHost(), noSession)).text, /no session has begun/);
  });
});

const lines = [
  { name: "instructions", detail: "SOUL.md", characters: 4000, tokens: 1000 },
  { name: "history", detail: "12 messages", characters: 49_000, tokens: 12_250 },
];

const bill = async (also: Partial<ContextBill>): Promise<string> => {
  const host = fakeHost({ over: { "sessions.context": async () => ({ runtime: "loop", lines, ...also }) } });
  return (await say("/context", host, noSession)).text;
};

describe("/context", () => {
  test("is a table with a total and a meter", async () => {
    const host = fakeHost({
      over: {
        "sessions.context": async () => ({
          runtime: "codex",
          lines,
          used: 50_000,
          window: 200_000,
          beyond: "Codex adds more.",
        }),
      },
    });
    assert.deepEqual((await say("/context", host)).text.split("\n"), [
      "part          about tokens",
      "instructions         1,000  SOUL.md",
      "history             12,250  12 messages",
      "total               13,250  on the runtime codex",
      "[█████░░░░░░░░░░░░░░░] 25 %: the last turn used 50,000 of 200,000 tokens",
      "Codex adds more.",
    ]);
  });

  test("says what is not known", async () => {
    assert.match(await bill({}), /Nothing was counted by the provider yet\.$/);
    assert.match(await bill({ used: 7 }), /used 7 tokens; how many fit is not known\.$/);
    assert.match(await bill({ used: 300, window: 200 }), /\[█{20}\] 150 %/);
  });
});
