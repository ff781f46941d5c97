import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { CreateElicitationRequest, CreateElicitationResponse } from "@agentclientprotocol/sdk";
import type { Answers, InquiryState } from "../../core/asking.ts";
import { asId } from "../../core/ids.ts";
import { questions } from "./questions.ts";
import { clientOf } from "../../../test/fakes/client.ts";

const inquiry: InquiryState = {
  id: asId("inq_1"),
  form: {
    title: "Which bird?",
    fields: [
      { name: "kind", label: "Kind", options: ["owl", "wren"] },
      { name: "count", label: "How many" },
    ],
  },
  expiresAt: 0,
};

/** An editor that answers like this. `undefined` in `replies`: nobody answered. */
function bench(answer: Promise<CreateElicitationResponse>, forms = true) {
  const asked: CreateElicitationRequest[] = [];
  const replies: (Answers | undefined)[] = [];
  const said: string[] = [];
  const replied = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<CreateElicitationResponse>();
  const subject = questions({
    host: clientOf({
      "inquiries.reply": async ({ answers }) => {
        replies.push(answers);
        replied.resolve();
        return { outcome: "taken" };
      },
    }),
    editor: {
      can: { forms, notices: false, terminals: false },
      askForm: (request, signal) => {
        asked.push(request);
        signal.addEventListener("abort", () => aborted.reject(new Error("aborted")));
        return Promise.race([answer, aborted.promise]);
      },
    },
    writer: { remark: (text) => void said.push(text) },
    session: "ses_1",
  });
  return { subject, asked, replies, said, replied: replied.promise };
}

describe("a question for information in an editor", () => {
  test("is a form, and what is filled in is the answer", async () => {
    const it = bench(Promise.resolve({ action: "accept", content: { kind: "owl", count: 2, more: "x" } }));
    it.subject.handle(inquiry);
    await it.replied;
    assert.deepEqual(it.replies, [{ kind: "owl", count: "2" }]);
    assert.deepEqual(it.asked, [
      {
        mode: "form",
        sessionId: "ses_1",
        message: "Which bird?",
        requestedSchema: {
          type: "object",
          properties: {
            kind: { type: "string", title: "Kind", enum: ["owl", "wren"] },
            count: { type: "string", title: "How many" },
          },
          required: ["kind", "count"],
        },
      },
    ]);
  });

  for (const [how, answer, words] of [
    ["declined", async () => ({ action: "decline" as const }), /^$/],
    ["answered with what nobody knows", async () => ({ action: "shrug" }), /^$/],
    [
      "not asked, because the editor fails",
      () => Promise.reject(new Error("no window")),
      /could not ask it.*no window/,
    ],
  ] as const)
    test(`that is ${how} has no answer`, async () => {
      const it = bench(answer());
      it.subject.handle(inquiry);
      await it.replied;
      assert.deepEqual(it.replies, [undefined]);
      assert.match(it.said.join("\n"), words);
    });

  test("that an editor cannot show is said and has no answer, at once", async () => {
    const it = bench(Promise.resolve({ action: "accept" as const }), false);
    it.subject.handle(inquiry);
    await it.replied;
    assert.deepEqual([it.replies, it.asked], [[undefined], []]);
    assert.match(it.said.join(), /^Which bird\?\nKind \(owl, wren\)\nHow many\n→ This editor cannot show/);
  });

  test("that is closed elsewhere is taken from the editor, and what it says then is not sent", async () => {
    const answer = Promise.withResolvers<CreateElicitationResponse>();
    const it = bench(answer.promise);
    it.subject.handle(inquiry);
    it.subject.handle({ ...inquiry, closed: "timeout" });
    answer.resolve({ action: "accept", content: { kind: "owl" } });
    await answer.promise;
    await Promise.resolve();
    assert.deepEqual([it.replies, it.said], [[], ["Which bird?: nobody answered in time"]]);
  });
});
