import type { Context } from "hono";
import { HttpFailure, statusOf } from "../failures.ts";
import type { Usage } from "../../../core/events.ts";
import { requireBudget } from "../key-budget.ts";
import type { Behind, Env } from "../visit.ts";
import { type Conversation } from "./conversation.ts";
import { promise, requireFit } from "./promised.ts";
import { type End, type Run, beginRun, sameRun } from "./run.ts";
import type { NamedRequest } from "./same-request.ts";
import type { TurnChoices } from "../../../core/host.ts";

/** Sends a message of a conversation, which is found as soon as it may be sent, and says where it went. */
export async function sendTo(
  c: Context<Env>,
  behind: Behind,
  find: () => Promise<Conversation>,
  choices: TurnChoices,
  how: { readonly request?: NamedRequest; readonly whenBusy?: "queue" | "steer" | "refuse" } = {},
): Promise<Run> {
  const { request, whenBusy = "queue" } = how;
  if (request?.inbox !== undefined) return told(c, await sameRun(c.get("client"), request.inbox));
  await requireBudget(c.get("visitor"), behind);
  const conversation = await find();
  const run = await beginRun(c.get("client"), {
    key: { account: c.get("visitor").id, chat: "v1", messageId: request?.messageId ?? crypto.randomUUID() },
    session: conversation.session,
    input: conversation.input,
    whenBusy,
    attended: "ask",
    ...(Object.keys(choices).length === 0 ? {} : { choices }),
  });
  if (run.state !== "duplicate") await conversation.kept(run.inbox);
  const { outputSchema } = choices;
  if (outputSchema !== undefined)
    await promise({ access: behind.http.access, account: c.get("visitor").id }, run.inbox, outputSchema);
  await request?.kept(run.inbox);
  return told(c, run);
}

function told(c: Context<Env>, run: Run): Run {
  c.header("X-Talaria-Session", run.session);
  return run;
}

/** A turn that ended well and says what it was asked for, or why there is no such answer. */
export function wellEnded(end: End, { outputSchema }: TurnChoices): NonNullable<End> {
  if (end === null)
    throw new HttpFailure(
      409,
      "set_aside",
      "The message was set aside before its turn began.",
      "Send it again.",
    );
  const { outcome, fault } = end;
  if (fault !== undefined) throw new HttpFailure(statusOf(fault.code), fault.code, fault.message, fault.next);
  if (outcome === "interrupted")
    throw new HttpFailure(
      409,
      "interrupted",
      "The turn was stopped.",
      "What there is of it is in its session.",
    );
  requireFit(outputSchema, end.text);
  return end;
}

/** `stream` reads what comes; without it the answer comes when the turn has ended. A client that leaves ends neither, unless it `stops`. */
export async function ended(
  c: Context<Env>,
  run: Run,
  choices: TurnChoices,
  stops: boolean,
): Promise<NonNullable<End>> {
  const { outgoing } = c.env;
  const left = leaving(c, run, stops);
  outgoing.once("close", left);
  try {
    return wellEnded(await Promise.race([run.ended(), shownOut(c.get("gone"))]), choices);
  } finally {
    outgoing.off("close", left);
    run.leave();
  }
}

/** Rejects with the reason once there will be no answer any more. */
const shownOut = (gone: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (gone.aborted) reject(gone.reason as Error);
    gone.addEventListener("abort", () => reject(gone.reason as Error), { once: true });
  });

/** Whoever goes away leaves the turn as it is, unless they have said otherwise. */
export const leaving =
  (c: Context<Env>, run: Run, stops: boolean): (() => void) =>
  () => {
    run.leave();
    if (stops)
      c.get("client")
        .call("turns.stop", { session: run.session })
        .catch(() => {});
  };

export const tokensOf = (usage: Usage | undefined) => {
  const { input = 0, cached = 0, output = 0, reasoning = 0 } = usage ?? {};
  return { input, cached, output, reasoning, total: input + output };
};

export function nameWithoutEffect(c: Context<Env>, names: readonly string[]): void {
  if (names.length > 0) c.header("X-Talaria-Without-Effect", names.join(", "));
}

/** An answer has to be found in words: a turn can end well and say nothing. */
export const noWords = "(The turn ended without an answer in words.)";
