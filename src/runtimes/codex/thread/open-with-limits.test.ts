import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { RpcError } from "../../../lib/rpc/rpc-message.ts";
import { portsOf } from "../../runtime.suite.ts";
import type { AppServer } from "../process/app-server.ts";
import { type Opened, openWithLimits } from "./open-with-limits.ts";

const profile = {
  id: "talaria-unattended",
  params: { approvalPolicy: "on-request" },
  config: { default_permissions: "talaria-unattended" },
  unhidden: ["/home/k[1]"],
} as const;
const fenced = { thread: { id: "new" }, activePermissionProfile: { id: "talaria-unattended" } };
const plain = { thread: { id: "new" }, activePermissionProfile: null };

/** What is sent to a codex that answers like this, and what comes of it. */
async function opened(
  replies: readonly unknown[],
  method: "thread/start" | "thread/resume" = "thread/start",
  fence: (Omit<typeof profile, "id"> & { readonly id: string }) | "none" = profile,
  wantsFence = fence !== "none",
): Promise<Opened & { readonly sent: readonly unknown[] }> {
  const sent: unknown[] = [];
  const left = [...replies];
  const request = async (name: string, params: unknown): Promise<unknown> => {
    sent.push([name, params]);
    const reply = name === "thread/unsubscribe" ? {} : left.shift();
    if (reply instanceof Error) throw reply;
    return reply;
  };
  const server = { request } as unknown as AppServer;
  const result = await openWithLimits(
    server,
    method,
    portsOf([], new AbortController().signal),
    fence === "none" ? undefined : fence,
    {
      wantsKeylessProfile: wantsFence,
      plain: { sandbox: "workspace-write" },
      params: (limited, more) => ({ ...limited, config: { ...more } }),
    },
  );
  return { ...result, sent };
}

const within = { ...profile.params, config: profile.config };
const usual = { sandbox: "workspace-write", config: {} };

describe("a thread that is to have a fence", () => {
  test("has it when codex says so, and what it cannot hide is named", async () => {
    const it = await opened([fenced]);
    assert.deepEqual([it.keyless, it.sent], [true, [["thread/start", within]]]);
    assert.match(it.notices.map(({ text }) => text).join(), /cannot hide \/home\/k\[1\] from commands/);
  });

  test("has the usual limits when codex refuses it, and the person is told", async () => {
    const it = await opened([new RpcError(-32600, "no such setting"), plain], "thread/resume");
    assert.deepEqual(it.sent, [
      ["thread/resume", within],
      ["thread/resume", usual],
    ]);
    assert.deepEqual([it.keyless, it.reply], [false, plain]);
    assert.match(
      it.notices.map(({ text }) => text).join(),
      /did not take the limits .* may read what you may read/,
    );
  });

  test("is not left with limits that nobody chose when codex passes over it", async () => {
    const it = await opened([plain, plain]);
    assert.deepEqual(it.sent, [
      ["thread/start", within],
      ["thread/unsubscribe", { threadId: "new" }],
      ["thread/start", usual],
    ]);
    assert.deepEqual([it.keyless, it.notices.length], [false, 1]);
  });

  test("of a turn that somebody attends has its own, which goes with the thread", async () => {
    const attended = { thread: { id: "new" }, activePermissionProfile: { id: "talaria-attended" } };
    const own = { ...profile, id: "talaria-attended" } as const;
    const it = await opened([attended], "thread/start", own, false);
    assert.deepEqual([it.keyless, it.fenced], [false, true]);
    const refused = await opened([new RpcError(-32600, "no"), plain], "thread/start", own, false);
    assert.deepEqual([refused.keyless, refused.fenced], [false, false]);
    assert.match(refused.notices.map(({ text }) => text).join(), /may read the token/);
  });

  test("fails as any other when codex has another reason", async () => {
    const busy = new RpcError(-32600, "thread already has an active writer");
    await assert.rejects(opened([busy, busy], "thread/resume"), busy);
    const gone = new Error("gone");
    await assert.rejects(opened([gone]), gone);
  });

  test("is opened with one request when there is no fence", async () => {
    const it = await opened([plain], "thread/start", "none");
    assert.deepEqual([it.keyless, it.notices, it.sent], [false, [], [["thread/start", usual]]]);
  });

  test("that this codex cannot have is a reason to tell the person", async () => {
    const it = await opened([plain], "thread/start", "none", true);
    assert.deepEqual([it.keyless, it.sent], [false, [["thread/start", usual]]]);
    assert.match(it.notices.map(({ text }) => text).join(), /^This codex cannot hide anything .*Update it/);
  });
});
