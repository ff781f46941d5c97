import type { ApprovalState, Choice, InquiryState } from "../../core/asking.ts";
import { choiceWords, closedTexts, decidedText } from "../../core/asking-words.ts";
import { short } from "../../core/plain-text.ts";
import { type Button, type Part, addressOf } from "../../core/gateway/chat.ts";
import type { ChatKey, StoredOutbox } from "../../core/gateway/tables.ts";
import { decisionOf } from "../../core/ledger.ts";
import type { ApprovalId } from "../../core/ids.ts";
import type { Principal } from "../../core/principal.ts";
import { asTyped } from "./command-line.ts";
import { type BotParts, type ChatParts, houseOf, say } from "./bot-parts.ts";
import { ownersChat } from "./owners-chat.ts";
import { wholeQuestionFile } from "./question-file.ts";

/** A rule that stays is made at the machine, never in a chat. */
const offered: readonly Choice[] = ["once", "session", "deny"];

/** The code that is typed where there are no buttons. */
export const shortCode = (id: string): string => id.slice(-6);

/**
 * Shows a question where somebody may answer it: the owner in a direct chat is asked there; what a member's turn wants, or a turn in
 * a group, is for the owner alone, and the chat hears that it waits. Shown once, however often it is said.
 */
export async function showApproval(
  parts: ChatParts,
  at: { readonly to: ChatKey; readonly room: "direct" | "group" },
  { id, shown, choices, question }: ApprovalState,
): Promise<void> {
  const { outbox } = parts.gateway;
  if ((await outbox.about(id)).length > 0) return;
  const { asker } = await houseOf(parts).call("approvals.get", { id });
  const isTheirs = asker.role === "owner" && at.room === "direct";
  const owner = isTheirs ? at.to : await ownersChat(parts);
  const target = owner ?? (asker.role === "owner" ? at.to : undefined);
  const isElsewhere = target === undefined || target.chat !== at.to.chat || target.surface !== at.to.surface;
  if (isElsewhere) await say(parts, at.to, waitingText(question.summary, target !== undefined));
  if (target === undefined) return;
  const buttons = [
    choices.filter((choice) => offered.includes(choice)).map((choice) => answerButton(id, choice)),
  ];
  const text = approvalText(id, shown, isElsewhere ? asker : undefined);
  await ask(parts, target, id, text, buttons);
}

const waitingText = (summary: string, isAsked: boolean): string =>
  isAsked
    ? `This needs the owner's approval, and they have been asked: ${summary}`
    : `This needs the owner's approval: ${summary}. They have no chat here, and can answer at their machine.`;

const answerButton = (id: ApprovalId, choice: Choice): Button => ({
  label: buttonWords[choice],
  data: `a:${id}:${choice}`,
});
const buttonWords: Readonly<Record<Choice, string>> = {
  once: "Allow once",
  session: "Allow for this session",
  always: choiceWords.always,
  deny: "Deny",
};

function approvalText(id: string, shown: readonly string[], asker: Principal | undefined): string {
  const who = asker === undefined ? "" : ` for ${askerName(asker)}`;
  const code = shortCode(id);
  return [
    `**Approval needed**${who}`,
    ...fenced(shown.join("\n")),
    `\`/approve ${code}\` or \`/deny ${code}\` ${byCode}`,
  ].join("\n");
}

/** People choose their names: one must neither look like a part of the question nor like somebody else. */
const askerName = ({ name = "", surface, id }: Principal): string =>
  `\`${short(name, 60).replaceAll("`", "'") || "-"}\` (${surface}:${short(id, 40)})`;

/** Ends the line that is left out when nothing can be answered any more. */
const byCode = "answer it, too.";

/** With a fence that is longer than any in the text. */
export function fenced(text: string): readonly string[] {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return [fence, text, fence];
}

export async function showInquiry(parts: ChatParts, to: ChatKey, { id, form }: InquiryState): Promise<void> {
  if ((await parts.gateway.outbox.about(id)).length > 0) return;
  const [first] = form.fields;
  const options = form.fields.length === 1 ? (first?.options ?? []) : [];
  const buttons = options.slice(0, 10).map((label, index) => [{ label, data: `q:${id}:${index}` }]);
  const fields = form.fields.map(({ label, options: some }, index) => {
    const number = form.fields.length > 1 ? `${index + 1}. ` : "";
    return `${number}${label}${some === undefined ? "" : ` (${some.join(" · ")})`}`;
  });
  const how =
    form.fields.length > 1 ? "Reply to this message, one line for each." : "Reply to this message to answer.";
  await ask(parts, to, id, [`**${form.title}**`, ...fields, "", how].join("\n"), buttons);
}

async function ask(
  parts: ChatParts,
  to: ChatKey,
  about: string,
  text: string,
  buttons: NonNullable<Part["buttons"]>,
): Promise<void> {
  const { gateway, clock } = parts;
  const adapter = parts.adapterOf(to.surface);
  if (adapter === undefined) return;
  const { part, isCut } = adapter.renderQuestion(asTyped(to.surface, text), buttons);
  const row = { surface: to.surface, account: to.account, chat: to.chat };
  if (isCut) {
    const file = await wholeQuestionFile(gateway.folder, about, text);
    const [caption] = adapter.render("The whole of it, since it is too long for one message:");
    if (caption !== undefined)
      await gateway.outbox.add(
        { ...row, body: { kind: "part", part: { ...caption, file } as never } },
        clock.now(),
      );
  }
  await gateway.outbox.add({ ...row, about, body: { kind: "part", part: part as never } }, clock.now());
}

/** Its messages say from now on what became of it. Best effort: whoever presses a button hears it anyway. */
export async function closeQuestion(
  parts: ChatParts,
  id: string,
  words: string,
  signal: AbortSignal,
): Promise<void> {
  for (const row of await parts.gateway.outbox.about(id))
    if (row.isOpen && row.state === "sent") await closeMessage(parts, row, words, signal);
}

async function closeMessage(
  parts: ChatParts,
  row: StoredOutbox,
  words: string,
  signal: AbortSignal,
): Promise<void> {
  const adapter = parts.adapterOf(row.surface);
  if (adapter === undefined || row.platformId === undefined || row.body.kind !== "part") return;
  const before = (row.body.part as { readonly plain?: string } | null)?.plain ?? "";
  const lines = before.split("\n").filter((line) => !line.endsWith(byCode));
  const head = lines.slice(0, 12).join("\n").trimEnd();
  const { part } = adapter.renderQuestion([...fenced(head), `**${words}**`].join("\n"), undefined);
  const { sent } = { sent: undefined, ...(await adapter.edit(addressOf(row), row.platformId, part, signal)) };
  if (sent !== undefined) await parts.gateway.outbox.closeQuestion(row.id);
}

export const approvalClosed = (approval: Parameters<typeof decidedText>[0]): string | undefined => {
  const words = decidedText(approval);
  return words === undefined ? undefined : `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
};

export const inquiryClosed = ({ closed }: InquiryState): string | undefined =>
  closed === undefined ? undefined : (closedTexts[closed] ?? "Answered");

/** After a restart: what was decided or withdrawn meanwhile says so. */
export async function closeOld(parts: BotParts, signal: AbortSignal): Promise<void> {
  const { adapter, account, gateway } = parts;
  const house = houseOf(parts);
  for (const row of await gateway.outbox.openQuestions(adapter.surface, account)) {
    if (row.about === undefined || row.state !== "sent") continue;
    if (!row.about.startsWith("apr_")) {
      await closeMessage(parts, row, "No longer open: Talaria was restarted", signal);
      continue;
    }
    const stored = await house.call("approvals.get", { id: row.about }).catch(() => undefined);
    const decision = stored && decisionOf(stored);
    const words = decision === undefined ? undefined : approvalClosed({ decision });
    if (stored === undefined || words !== undefined)
      await closeMessage(parts, row, words ?? "No longer open", signal);
  }
}
