import type { ElicitRequestParams, ElicitResult } from "@modelcontextprotocol/client";
import { lanes } from "../../lib/lanes.ts";
import type { ToolContext } from "../tool.ts";
import type { CallTimer } from "./call-timer.ts";
import { elicitedForm, secretField } from "./elicited-form.ts";

/** A call that a server works on. */
export type CallInFlight = {
  readonly context: ToolContext;
  readonly timer: CallTimer;
  /** What the model and the person should hear beside the result. */
  readonly remarks: string[];
};

/** The calls under way at one server. Its questions belong to them, and to nobody else. */
export type CallsInFlight = {
  readonly size: number;
  add(call: CallInFlight): Disposable & Pick<CallInFlight, "remarks">;
  answer(asked: ElicitRequestParams, signal: AbortSignal): Promise<ElicitResult>;
};

const maxWaiting = 10;
const declined: ElicitResult = { action: "decline" };

export function callsInFlight(server: string): CallsInFlight {
  const inFlight = new Set<CallInFlight>();
  const questions = lanes<"question">();
  return {
    get size() {
      return inFlight.size;
    },
    add(call) {
      inFlight.add(call);
      return { remarks: call.remarks, [Symbol.dispose]: () => void inFlight.delete(call) };
    },
    async answer(asked, signal) {
      const call = ownerOf(inFlight);
      if (call === undefined) {
        for (const one of inFlight)
          one.remarks.push(
            `${server} asked a question, and nobody could say for which of its calls; it was declined.`,
          );
        return declined;
      }
      if (questions.waiting("question") >= maxWaiting) return declined;
      return questions.run("question", () => askPerson(server, call, asked, signal));
    },
  };
}

/** Calls of two conversations at once: the question could be answered by the wrong person. */
function ownerOf(inFlight: ReadonlySet<CallInFlight>): CallInFlight | undefined {
  const sessions = new Set([...inFlight].map(({ context }) => context.session));
  return sessions.size === 1 ? [...inFlight].at(-1) : undefined;
}

async function askPerson(
  server: string,
  { context, timer, remarks }: CallInFlight,
  asked: ElicitRequestParams,
  signal: AbortSignal,
): Promise<ElicitResult> {
  if (asked.mode === "url") {
    remarks.push(
      `${server} wanted the person to open an address; Talaria does not do that, so it was declined.`,
    );
    return declined;
  }
  const secret = secretField(asked);
  if (secret !== undefined) {
    remarks.push(
      `${server} asked for something that looks like a secret (${secret}). It was declined without asking the person: what a server needs to log in belongs into its settings.`,
    );
    return declined;
  }
  const elicited = elicitedForm(server, asked);
  if (elicited === undefined) {
    remarks.push(`${server} asked a question that cannot be shown as a form; it was declined.`);
    return declined;
  }
  const stop = AbortSignal.any([signal, context.signal]);
  let { form } = elicited;
  for (let tries = 0; tries < 2; tries += 1) {
    const answers = await timer.whileAsking(() => context.inquire(form, stop));
    if (answers === undefined) {
      remarks.push(`${server} asked a question, and it was not answered.`);
      return declined;
    }
    const typed = elicited.typed(answers);
    if ("content" in typed) return { action: "accept", content: { ...typed.content } };
    form = { ...form, title: `${elicited.form.title}\n${typed.wrong}` };
  }
  remarks.push(`${server} asked a question, and the answer did not fit it.`);
  return { action: "cancel" };
}
