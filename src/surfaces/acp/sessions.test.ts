import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { clientOf } from "../../../test/fakes/client.ts";
import { asId } from "../../core/ids.ts";
import { localOwner } from "../../core/principal.ts";
import type { Past, Session, StoredMessage, StoredTurn } from "../../core/session.ts";
import { systemClock } from "../../lib/clock.ts";
import type { Editor } from "./editor.ts";
import { openSessions } from "./sessions.ts";

const cwd = process.cwd();
const session: Session = {
  id: asId<"ses">("ses_0123456789"),
  cwd,
  surface: "tui",
  audience: "owner",
  createdAt: 1,
  updatedAt: 1,
};
const turn = asId<"trn">("trn_0123456789");
const item = { id: asId<"itm">("itm_1"), kind: "text", text: "half an answer" } as const;
const open = { id: turn, session: session.id, cwd, state: "open" } as StoredTurn;
const words = { seq: 1, turn, message: { role: "user", content: "from the terminal" } } as StoredMessage;
const input = [{ type: "text", text: "from the terminal" }] as const;

test("a turn that runs in another process while its session is loaded is sent once", async () => {
  const header = { v: 1, session: session.id, turn, elsewhere: true } as const;
  const host = clientOf({
    "host.status": async () => ({ warnings: [] }) as never,
    "sessions.get": async () => session,
    "sessions.turns": async () => [open],
    "sessions.past": async () => ({ earlier: 0, turns: [{ turn: open, parts: [words, item] }] }) as Past,
    "sessions.catchUp": async () => null,
    async *"sessions.follow"() {
      yield { ...header, seq: 1, type: "said", from: localOwner("tui"), input };
      yield { ...header, seq: 2, type: "item", item };
    },
  });
  const updates: SessionUpdate[] = [];
  const editor = {
    can: { notices: false, forms: false, terminals: false },
    update: (_session: string, update: SessionUpdate) => void updates.push(update),
  } as unknown as Editor;
  const sessions = openSessions({ host: async () => host, clock: systemClock, log: () => {} });
  // Its settings cannot be told here, and come after it all.
  await assert.rejects(sessions.resume(editor, session.id, { cwd, mcpServers: [] } as never, true));
  const told = updates.flatMap((update) =>
    "content" in update && !Array.isArray(update.content) && update.content?.type === "text"
      ? [update.content.text]
      : [],
  );
  assert.equal(told.filter((text) => text.includes("from the terminal")).length, 1, told.join("|"));
  assert.equal(told.filter((text) => text.includes("half an answer")).length, 1, told.join("|"));
});
