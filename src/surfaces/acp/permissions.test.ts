import assert from "node:assert/strict";
import { test } from "node:test";
import type { RequestPermissionResponse } from "@agentclientprotocol/sdk";
import type { ApprovalState, Choice } from "../../core/asking.ts";
import { asId } from "../../core/ids.ts";
import { permissions } from "./permissions.ts";
import { sessionWriter } from "./session-writer.ts";
import { clientOf } from "../../../test/fakes/client.ts";

const approval: ApprovalState = {
  id: asId("apr_1"),
  question: {
    tool: "terminal",
    args: {},
    cwd: "/",
    effect: "local",
    action: { kind: "tool" },
    summary: "rm -f x",
  },
  shown: ["rm -f x"],
  choices: ["once", "deny"],
  expiresAt: 0,
};

/** What the host hears of an editor that answers like this, or what the person reads instead. */
async function answerFrom(response: unknown): Promise<Choice | string> {
  const result = Promise.withResolvers<Choice | string>();
  const writer = {
    ...sessionWriter({ update: () => {} }, asId<"ses">("ses_1")),
    remark: (text: string) => result.resolve(text),
  };
  await permissions({
    host: clientOf({
      "approvals.answer": async ({ choice }) => {
        result.resolve(choice);
        return { outcome: "taken" };
      },
    }),
    editor: { askPermission: async () => response as RequestPermissionResponse },
    writer,
    session: "ses_1",
    cancel: () => result.resolve("cancelled"),
  }).handle(approval, undefined);
  return result.promise;
}

test("what an editor answers counts only if it was offered", async () => {
  assert.equal(await answerFrom({ outcome: { outcome: "selected", optionId: "once" } }), "once");
  assert.equal(await answerFrom({ outcome: { outcome: "cancelled" } }), "cancelled");
  for (const outcome of [
    { outcome: "selected", optionId: "always" },
    { outcome: "selected" },
    { optionId: "once" },
    undefined,
  ])
    assert.match(await answerFrom({ outcome }), /gave an answer that was not offered/);
});
