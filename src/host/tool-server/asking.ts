import type { Broker } from "../../approvals/broker.ts";
import type { Ask, Decision, Inquire } from "../../core/asking.ts";
import type { Principal } from "../../core/principal.ts";
import type { TurnEvent } from "../../core/events.ts";
import type { SessionId, TurnId } from "../../core/ids.ts";
import type { OpenTools } from "../../core/tooling.ts";

export type ToolAsking = {
  readonly broker: Pick<Broker, "asking" | "answer" | "reply">;
  readonly log: (line: string) => void;
  readonly options: Pick<OpenTools, "surface" | "caller" | "asker" | "cwd">;
  readonly session: SessionId;
  readonly turn: TurnId;
};

/** Questions of tools that are called outside of any turn. They are kept and decided as those of turns are. */
export function toolAsking(parts: ToolAsking): { readonly ask: Ask; readonly inquire: Inquire } {
  return {
    async ask(question, signal) {
      const put = putQuestion(parts);
      const decision = await put.asking.ask(question, AbortSignal.any([signal, put.failed.signal]));
      if (signal.aborted) return decision;
      if (put.failed.signal.aborted && decision.why === "withdrawn")
        return notAsked("could not show the question");
      return decision.why === "not_asked" ? notAsked("cannot show questions") : decision;
    },
    async inquire(form, signal) {
      const put = putQuestion(parts);
      return put.asking.inquire(form, AbortSignal.any([signal, put.failed.signal]));
    },
  };
}

/** A No that nobody said says so, and how there could be a yes. */
const notAsked = (why: string): Decision => ({
  choice: "deny",
  why: "not_asked",
  reason:
    `not asked: the program that called ${why}. The person can have it done in talaria itself; what they always allow ` +
    `there, in the same folder, is allowed here too`,
});

/** One question. `failed` says that it could not be put to anybody. */
function putQuestion(parts: ToolAsking) {
  const { broker, log, options, session, turn } = parts;
  const { asker, surface, cwd: folder } = options;
  const failed = new AbortController();
  const closed = new AbortController();
  const by = personAt(options);
  const lost = (error: unknown): void => {
    if (closed.signal.aborted) return;
    log(`${options.caller()} could not show a question: ${String(error)}`);
    failed.abort(new Error("the question could not be put"));
  };
  const say = (event: TurnEvent): void => {
    if (event.type === "notice") return log(`${options.caller()}: ${event.text}`);
    if (event.type !== "approval" && event.type !== "inquiry") return;
    if (isOver(event)) return closed.abort(new Error("the question is closed"));
    void put(event).catch(lost);
  };
  const put = async (event: Asked): Promise<void> => {
    if (asker === undefined) return;
    if (event.type === "approval") {
      const choice = await asker.permit(event.approval, closed.signal);
      const answered = await broker.answer(event.approval.id, choice, by);
      if (answered.outcome === "refused") throw new Error(answered.why);
      return;
    }
    await broker.reply(event.inquiry.id, await asker.inform(event.inquiry, closed.signal), by);
  };
  const attended = asker?.canAsk() === true ? "ask" : "none";
  const runtime = surface;
  return {
    failed,
    asking: broker.asking({
      session,
      turn,
      folder,
      runtime,
      surface,
      from: { ...programOf(options), name: options.caller() },
      audience: "owner",
      attended,
      say,
    }),
  };
}

type Asked = Extract<TurnEvent, { readonly type: "approval" | "inquiry" }>;

const isOver = (event: Asked): boolean =>
  event.type === "approval" ? event.approval.decision !== undefined : event.inquiry.closed !== undefined;

/** Who calls: a program that the owner has started. */
export const programOf = ({ surface }: Pick<OpenTools, "surface">): Principal => ({
  surface,
  id: "client",
  role: "program",
  local: false,
});

/**
 * Who fills in a form there: the person before the program, which is the owner's. Not at this machine, as far as we can
 * know: so no rule that stays can be made there.
 */
const personAt = (options: ToolAsking["options"]): Principal => ({
  ...programOf(options),
  name: options.caller(),
  role: "owner",
});
