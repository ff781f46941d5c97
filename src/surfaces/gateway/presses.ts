import type { Answered, Answers, Choice } from "../../core/asking.ts";
import { decidedText } from "../../core/asking-words.ts";
import { toFailure } from "../../core/failure.ts";
import type { ChatPress } from "../../core/gateway/chat.ts";
import { type InquiryId, asId } from "../../core/ids.ts";
import { roleOf } from "./access.ts";
import type { BotParts } from "./bot-parts.ts";
import type { OpenForms } from "./live-turns.ts";
import { principalFor } from "./place.ts";

/** What a button of ours says. It names a question, and never what is to be done. */
type Pressed =
  | { readonly what: "approval"; readonly id: string; readonly choice: Exclude<Choice, "always"> }
  | { readonly what: "inquiry"; readonly id: string; readonly option: number }
  | { readonly what: "command"; readonly line: string };

export function parsePress(data: string): Pressed | undefined {
  const approval = /^a:(apr_[0-9a-z]+):(once|session|deny)$/.exec(data);
  if (approval?.[1] !== undefined)
    return { what: "approval", id: approval[1], choice: approval[2] as "once" | "session" | "deny" };
  const inquiry = /^q:(inq_[0-9a-z]+):(\d{1,2})$/.exec(data);
  if (inquiry?.[1] !== undefined) return { what: "inquiry", id: inquiry[1], option: Number(inquiry[2]) };
  return data.startsWith("c:/") ? { what: "command", line: data.slice(2) } : undefined;
}

/**
 * Whoever pressed a button always hears what came of it. Who may answer is looked up when they press, not when it was shown.
 * `command`: runs a line as if they had typed it.
 */
export async function pressed(
  parts: BotParts,
  press: ChatPress,
  forms: OpenForms,
  command: (line: string) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const { adapter, gateway } = parts;
  const tell = (text: string): Promise<void> => adapter.acknowledge(press.press, text, signal);
  const role = await roleOf(gateway.people, press);
  if (role === undefined) return tell("You may not answer this.");
  const found = parsePress(press.data);
  if (found === undefined) return tell("This button is not in use any more.");
  if (found.what === "command") {
    await tell("");
    return command(found.line);
  }
  try {
    const client = parts.host.as(principalFor(press, role));
    if (found.what === "approval") {
      const approval = asId<"apr">(found.id);
      return await tell(
        answeredText(await client.call("approvals.answer", { approval, choice: found.choice })),
      );
    }
    const inquiry = asId<"inq">(found.id);
    const answers = optionAnswer(forms, inquiry, found.option);
    if (answers === undefined) return await tell("This question is no longer open.");
    return await tell(answeredText(await client.call("inquiries.reply", { inquiry, answers })));
  } catch (error) {
    return tell(toFailure(error).message);
  }
}

function answeredText(answered: Answered): string {
  switch (answered.outcome) {
    case "taken":
      return "Done.";
    case "late": {
      const words =
        answered.decision === undefined ? undefined : decidedText({ decision: answered.decision });
      return words === undefined ? "It was answered before." : `It was answered before: ${words}`;
    }
    case "refused":
      return `You may not do this: ${answered.why}.`;
    case "unknown":
      return "This question is no longer open.";
  }
}

/** The button says only which one it is: the words are those of the question. */
function optionAnswer(forms: OpenForms, id: InquiryId, option: number): Answers | undefined {
  const [field] = forms.get(id)?.form.fields ?? [];
  const value = field?.options?.[option];
  return field === undefined || value === undefined ? undefined : { [field.name]: value };
}
