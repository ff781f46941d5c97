import type { Writable } from "node:stream";
import type { Answers, ApprovalState, Choice, Form, InquiryState } from "../../core/asking.ts";
import { choiceWords, closedTexts, decidedText } from "../../core/asking-words.ts";
import type { Envelope } from "../../core/events.ts";
import type { Client } from "../../core/calls.ts";
import type { LineInput } from "./line-input.ts";
import { clean } from "../../core/plain-text.ts";

export type PanelOptions = {
  readonly client: Client<"approvals.answer" | "inquiries.reply">;
  readonly input: LineInput;
  readonly stderr: Writable & { readonly isTTY?: boolean };
};

/** Shows the questions of a turn, one after the other, and brings back what the person says. */
export function questionPanel(options: PanelOptions): (event: Envelope) => void {
  const open = new Map<string, AbortController>();
  let last = Promise.resolve();
  const begin = (id: string, ask: (signal: AbortSignal) => Promise<void>): void => {
    const closed = new AbortController();
    open.set(id, closed);
    last = last.then(() => (closed.signal.aborted ? undefined : ask(closed.signal))).catch(() => {});
  };
  const end = (id: string, outcome: string | undefined, byPerson: boolean): void => {
    const panel = open.get(id);
    if (panel === undefined) return;
    open.delete(id);
    panel.abort();
    // A person ends the line of the prompt with their answer; otherwise it is still open.
    if (outcome !== undefined) options.stderr.write(`${byPerson ? "" : "\n"}· ${clean(outcome)}\n`);
  };
  return (event) => {
    if (event.type === "approval") {
      const { approval } = event;
      if (approval.decision === undefined)
        begin(approval.id, (signal) => askApproval(approval, options, signal));
      else end(approval.id, decidedText(approval), approval.decision.why === "person");
    }
    if (event.type === "inquiry") {
      const { inquiry } = event;
      if (inquiry.closed === undefined) begin(inquiry.id, (signal) => askInquiry(inquiry, options, signal));
      else end(inquiry.id, closedTexts[inquiry.closed], inquiry.closed === "declined");
    }
  };
}

async function askApproval(
  approval: ApprovalState,
  options: PanelOptions,
  signal: AbortSignal,
): Promise<void> {
  const { stderr, client, input } = options;
  await input.takeTypedAhead();
  const choices = approval.choices.map((choice, at) => `${at + 1} ${choiceWords[choice]}`).join("   ");
  const shown = approval.shown.map((line) => `│ ${clean(line)}`);
  show(stderr, ["╭ May this be done?", ...shown, `╰ ${choices}`]);
  stderr.write("? ");
  for await (const line of input.answers(signal)) {
    const choice = choiceOf(line, approval.choices);
    if (choice === undefined) {
      stderr.write(`Type a number from 1 to ${approval.choices.length}: `);
      continue;
    }
    const answered = await client.call("approvals.answer", { approval: approval.id, choice });
    if (answered.outcome === "refused") {
      stderr.write(`${clean(answered.why)}\nType a number from 1 to ${approval.choices.length}: `);
      continue;
    }
    return;
  }
}

function choiceOf(line: string, choices: readonly Choice[]): Choice | undefined {
  const word = line.trim().toLowerCase();
  const byNumber = /^\d$/.test(word) ? choices[Number(word) - 1] : undefined;
  const byName = choices.find((choice) => choice === word);
  if (byNumber !== undefined || byName !== undefined) return byNumber ?? byName;
  if (/^(?:y|yes)$/.test(word)) return "once";
  return /^(?:n|no)$/.test(word) ? "deny" : undefined;
}

async function askInquiry(inquiry: InquiryState, options: PanelOptions, signal: AbortSignal): Promise<void> {
  const { stderr, input, client } = options;
  const reply = async (said?: Answers): Promise<void> =>
    void (await client.call("inquiries.reply", {
      inquiry: inquiry.id,
      ...(said === undefined ? {} : { answers: said }),
    }));
  await input.takeTypedAhead();
  const { form } = inquiry;
  const answers: Record<string, string> = {};
  show(stderr, [`╭ ${clean(form.title)}`, "╰ an empty line gives no answer"]);
  let at = 0;
  showField(stderr, form, at);
  if (form.fields.length === 0) return await reply({});
  for await (const line of input.answers(signal)) {
    const field = form.fields[at];
    if (field === undefined) return;
    if (line.trim() === "") return await reply();
    answers[field.name] = field.options?.[Number(line.trim()) - 1] ?? line.trim();
    at += 1;
    if (at === form.fields.length) return await reply(answers);
    showField(stderr, form, at);
  }
}

function showField(stderr: Writable, { fields }: Form, at: number): void {
  const field = fields[at];
  if (field === undefined) return;
  const options = (field.options ?? []).map((option, index) => `  ${index + 1} ${clean(option)}\n`).join("");
  stderr.write(`${clean(field.label)}\n${options}? `);
}

/** With a bell: the person may be looking elsewhere. */
const show = (stderr: PanelOptions["stderr"], rows: readonly string[]): void =>
  void stderr.write(`\n${stderr.isTTY === true ? "\u0007" : ""}${rows.join("\n")}\n`);
