import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type SessionId, asId } from "../../core/ids.ts";
import type { Message } from "../../core/messages.ts";
import type { Session } from "../../core/session.ts";
import type { SessionTable } from "../../store/store.ts";
import { delimited } from "../../core/text/delimited.ts";
import { sessionAddresses } from "./known-addresses.ts";

const [first, child, grandchild] = ["1", "2", "3"].map((at) => asId<"ses">(`ses_${at}`)) as [
  SessionId,
  SessionId,
  SessionId,
];

describe("addresses of a session", () => {
  const { isKnown } = sessionAddresses(
    sessionsOf({
      [first]: { messages: [{ role: "user", content: "read https://a.example/person" }] },
      [child]: {
        parent: first,
        messages: [
          { role: "user", content: "read https://a.example/task" },
          ...searched("https://a.example/found"),
        ],
      },
      [grandchild]: { parent: child, messages: [] },
    }),
  );

  test("are known where the person wrote them", async () => {
    assert.equal(await isKnown(first, "https://a.example/person#part"), true);
    assert.equal(await isKnown(first, "https://a.example/found"), false);
    assert.equal(await isKnown(first, "not an address"), false);
  });

  test("are known in a delegated session from what it found and from the session that began it", async () => {
    for (const session of [child, grandchild]) {
      assert.equal(await isKnown(session, "https://a.example/person"), true);
      assert.equal(await isKnown(session, "https://a.example/found"), true);
    }
  });

  test("are not known because the model that delegates wrote them into the task", async () => {
    for (const session of [child, grandchild])
      assert.equal(await isKnown(session, "https://a.example/task"), false);
  });

  test("are not known in a session that there is not", async () => {
    assert.equal(await isKnown(asId<"ses">("ses_9"), "https://a.example/person"), false);
  });
});

describe("results of calls of another program", () => {
  const here = asId<"ses">("ses_here");

  test("make an address known that a search found there, and nowhere else", async () => {
    const { isKnown, note } = sessionAddresses(sessionsOf({}));
    const page = "https://example.org/herons";
    assert.equal(await isKnown(here, page), false);
    note(here, "web_search", delimited("a search", `1. Herons\n   ${page}`));
    assert.equal(await isKnown(here, page), true);
    assert.equal(await isKnown(asId<"ses">("ses_other"), page), false);
    note(here, "todo", delimited("a list", "https://example.org/made-up"));
    assert.equal(await isKnown(here, "https://example.org/made-up"), false, "other tools repeat the model");
  });

  test("are forgotten when there are many newer ones", async () => {
    const { isKnown, note } = sessionAddresses(sessionsOf({}));
    for (let at = 0; at < 51; at += 1)
      note(here, "web_search", delimited("a search", `https://example.org/${at}`));
    assert.equal(await isKnown(here, "https://example.org/0"), false);
    assert.equal(await isKnown(here, "https://example.org/1"), true);
    assert.equal(await isKnown(here, "https://example.org/50"), true);
  });
});

type Kept = { readonly parent?: SessionId; readonly messages: readonly Message[] };

function sessionsOf(kept: Readonly<Record<string, Kept>>): Pick<SessionTable, "get" | "messages"> {
  return {
    async get(id) {
      const found = kept[id];
      const common = { id, cwd: "/", surface: "cli", audience: "owner" as const, createdAt: 0, updatedAt: 0 };
      if (found === undefined) return undefined;
      return (found.parent === undefined ? common : { ...common, parent: found.parent }) satisfies Session;
    },
    messages: async (id) =>
      (kept[id]?.messages ?? []).map((message, seq) => ({
        seq,
        turn: asId<"trn">("trn_1"),
        item: asId<"itm">("itm_1"),
        at: 0,
        message,
      })),
  };
}

function searched(url: string): readonly Message[] {
  return [
    { role: "assistant", content: "", toolCalls: [{ id: "c", name: "web_search", arguments: "{}" }] },
    { role: "tool", toolCallId: "c", content: delimited("a search", url) },
  ];
}
