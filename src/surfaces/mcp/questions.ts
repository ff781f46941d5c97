import type { ElicitRequestFormParams, ElicitResult } from "@modelcontextprotocol/server";
import type { Answers, ApprovalState, Choice, Form } from "../../core/asking.ts";
import { choiceWords } from "../../core/asking-words.ts";
import type { ToolAsker } from "../../core/tooling.ts";

/** Shows a form to the person at the client. Rejects when the client cannot, or has left. */
export type Elicit = (form: ElicitRequestFormParams, signal: AbortSignal) => Promise<ElicitResult>;

/** Questions of tools as forms of the client. The host keeps them: whoever answers first, here or elsewhere, decides. */
export const questions = (elicit: Elicit, canAsk: () => boolean): ToolAsker => ({
  canAsk,
  permit: async (approval, signal) =>
    choiceIn(await elicit(permissionForm(approval), signal), approval.choices),
  inform: async ({ form }, signal) => answersIn(await elicit(inquiryForm(form), signal), form),
});

const permissionForm = ({ shown, choices }: ApprovalState): ElicitRequestFormParams => ({
  message: shown.join("\n"),
  requestedSchema: {
    type: "object",
    properties: {
      answer: {
        type: "string",
        title: "May this be done?",
        enum: [...choices],
        enumNames: choices.map((choice) => choiceWords[choice]),
      },
    },
    required: ["answer"],
  },
});

/** Whoever does not choose to allow it has not allowed it. */
function choiceIn({ action, content }: ElicitResult, choices: readonly Choice[]): Choice {
  const chosen = action === "accept" ? choices.find((choice) => choice === content?.["answer"]) : undefined;
  return chosen ?? "deny";
}

const inquiryForm = ({ title, fields }: Form): ElicitRequestFormParams => ({
  message: title,
  requestedSchema: {
    type: "object",
    properties: Object.fromEntries(
      fields.map(({ name, label, options }) => [
        name,
        { type: "string" as const, title: label, ...(options === undefined ? {} : { enum: [...options] }) },
      ]),
    ),
    required: fields.map(({ name }) => name),
  },
});

function answersIn({ action, content }: ElicitResult, { fields }: Form): Answers | undefined {
  if (action !== "accept") return undefined;
  return Object.fromEntries(
    fields.flatMap(({ name }) => (content?.[name] === undefined ? [] : [[name, String(content[name])]])),
  );
}
