import type { CreateElicitationRequest, CreateElicitationResponse } from "@agentclientprotocol/sdk";
import type { Answers, Form, InquiryState } from "../../core/asking.ts";
import { closedTexts } from "../../core/asking-words.ts";
import type { Client } from "../../core/calls.ts";
import { isPlainObject } from "../../core/json.ts";
import type { Editor } from "./editor.ts";
import type { SessionWriter } from "./session-writer.ts";

export type QuestionParts = {
  readonly host: Client<"inquiries.reply">;
  readonly editor: Pick<Editor, "askForm" | "can">;
  readonly writer: Pick<SessionWriter, "remark">;
  readonly session: string;
};

/** Asks the editor for information that a turn wants of the person. */
export interface Questions {
  handle(inquiry: InquiryState): void;
  closeAll(): void;
}

export function questions(parts: QuestionParts): Questions {
  const open = new Map<string, AbortController>();
  return {
    handle(inquiry) {
      const { id, closed, form } = inquiry;
      if (closed === undefined) {
        if (open.has(id)) return;
        const withdrawn = new AbortController();
        open.set(id, withdrawn);
        void ask(parts, inquiry, withdrawn.signal);
        return;
      }
      open.get(id)?.abort();
      open.delete(id);
      const said = closedTexts[closed];
      if (said !== undefined) parts.writer.remark(`${form.title}: ${said}`);
    },
    closeAll() {
      for (const withdrawn of open.values()) withdrawn.abort();
      open.clear();
    },
  };
}

/** Without an answer from here nobody need wait for one: there is no other place to give it. */
async function ask(
  { host, editor, writer, session }: QuestionParts,
  { id, form }: InquiryState,
  signal: AbortSignal,
): Promise<void> {
  const reply = async (answers?: Answers): Promise<void> =>
    void (await host.call("inquiries.reply", { inquiry: id, ...(answers === undefined ? {} : { answers }) }));
  if (!editor.can.forms) {
    writer.remark(`${wordsOf(form)}\n→ This editor cannot show questions, so it was not answered.`);
    return await reply();
  }
  const answer = await editor
    .askForm(requestOf(form, session), signal)
    .then((response) => answersOf(response, form))
    .catch((error: unknown) => {
      if (!signal.aborted) writer.remark(`${form.title}: the editor could not ask it (${String(error)}).`);
      return undefined;
    });
  if (!signal.aborted) await reply(answer);
}

const requestOf = (form: Form, sessionId: string): CreateElicitationRequest => ({
  mode: "form",
  sessionId,
  message: form.title,
  requestedSchema: {
    type: "object",
    properties: Object.fromEntries(
      form.fields.map(({ name, label, options }) => [
        name,
        { type: "string", title: label, ...(options === undefined ? {} : { enum: [...options] }) },
      ]),
    ),
    required: form.fields.map(({ name }) => name),
  },
});

function answersOf(response: CreateElicitationResponse, { fields }: Form): Answers | undefined {
  if (response.action !== "accept") return undefined;
  const content = isPlainObject(response["content"]) ? response["content"] : {};
  return Object.fromEntries(
    fields.flatMap(({ name }) => (content[name] === undefined ? [] : [[name, String(content[name])]])),
  );
}

const wordsOf = ({ title, fields }: Form): string =>
  [title, ...fields.map(({ label, options }) => `${label}${optionWords(options)}`)].join("\n");

const optionWords = (options: readonly string[] | undefined): string =>
  options === undefined ? "" : ` (${options.join(", ")})`;
