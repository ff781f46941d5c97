import type { ElicitRequestParams, ElicitResult } from "@modelcontextprotocol/client";
import { lanes } from "../../lib/lanes.ts";
import type { ToolContext } from "../tool.ts";
import type { CallTimer } from "./call-timer.ts";
import { elicitedForm, secretField } from "./elicited-form.ts";

/** A call that a server works on. */
export type Flight = {
  readonly context: ToolContext;
  readonly timer: CallTimer;
  /** What the model and the person should hear beside the result. */
  readonly remarks: string[];
};

/** The calls under way at one server. Its questions belong to them, and to nobody else. */
export type Flights = {
  readonly size: number;
  add(flight: Flight): Disposable & Pick<Flight, "remarks">;
  answer(asked: ElicitRequestParams, signal: AbortSignal): Promise<ElicitResult>;
};

const maxWaiting = 10;
const declined: ElicitResult = { action: "decline" };

export function flights(server: string): Flights {
  const under = new Set<Flight>();
  const questions = lanes<"question">();
  return {
    get size() {
      return under.size;
    },
    add(flight) {
      under.add(flight);
      return { remarks: flight.remarks, [Symbol.dispose]: () => void under.delete(flight) };
    },
    async answer(asked, signal) {
      const flight = ownerOf(under);
      if (flight === undefined) {
        for (const one of under)
          one.remarks.push(
            `${server} asked a question, and nobody could say for which of its calls; it was declined.`,
          );
        return declined;
      }
      if (questions.waiting("question") >= maxWaiting) return declined;
      return questions.run("question", () => put(server, flight, asked, signal));
    },
  };
}

/** Calls of two conversations at once: the question could be answered by the wrong person. */
function ownerOf(under: ReadonlySet<Flight>): Flight | undefined {
  const sessions = new Set([...under].map(({ context }) => context.session));
  return sessions.size === 1 ? [...under].at(-1) : undefined;
}

async function put(
  server: string,
  { context, timer, remarks }: Flight,
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
