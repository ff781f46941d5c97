import type { Ask, Decision } from "../../../core/asking.ts";
import type { NotificationFrame, RequestFrame } from "../connection/frame.ts";
import { type LiveTurn, hostCall, openCall, begunCall, takeProgress } from "../live-turn.ts";
import { answerRequest } from "./server-requests.ts";
import { refuseRequest } from "./refusing.ts";
import { isForeign } from "../items/turn-machine.ts";
import { readThreadTurns } from "../thread/thread-turns.ts";
import { type Change, readChanges } from "../wire/call-item.ts";
import { type Fields, fieldsOf } from "../wire/fields.ts";
import { scopeOf } from "../wire/scope.ts";

/** The requests of codex in one turn. Each is answered once, or withdrawn when codex settles it itself. */
export type TurnRequests = {
  answer(request: RequestFrame): void;
  /** Takes notice of `serverRequest/resolved`. */
  observe(notification: NotificationFrame): void;
};

/** `signal` aborts when the turn is over. */
export function turnRequests(live: LiveTurn, signal: AbortSignal): TurnRequests {
  const open = new Map<string | number, AbortController>();
  const { ports, server, state, turn } = live;
  const common = {
    cwd: turn.cwd,
    thread: state.threadId,
    epoch: `${server.pid}.${server.epoch}`,
    stop: ports.signal,
    offered: new Set(live.tools.names),
    onProgress: (call: Fields, text: string) => takeProgress(live, call, text),
    headOf: (call: Fields) => hostCall(live, call),
    changesOf: (itemId: string) => changesOf(live, itemId),
  };
  return {
    answer(request) {
      if (isForeign(live.state, scopeOf(request.params))) {
        return refuseRequest(request, common, (question) => void ports.ask(question, signal));
      }
      const settled = new AbortController();
      open.set(request.id, settled);
      const context = {
        ...common,
        signal: AbortSignal.any([signal, settled.signal]),
        ports: { ...ports, ask: explainingAsk(live) },
      };
      void answerRequest(request, context).finally(() => {
        if (open.get(request.id) === settled) open.delete(request.id);
      });
    },
    observe({ method, params }) {
      if (method !== "serverRequest/resolved") return;
      const { requestId } = fieldsOf(params);
      if (typeof requestId !== "string" && typeof requestId !== "number") return;
      open.get(requestId)?.abort(new Error("codex has settled it"));
    },
  };
}

/** Codex tells the model that the user rejected it, even if no person did: the real reason is kept with the item. */
function explainingAsk(live: LiveTurn): Ask {
  const { ports, declines } = live;
  return async (question, signal) => {
    const asked = question.origin?.item;
    const call = begunCall(
      live,
      openCall(live, (_, key) => key === asked),
    );
    const decision = await ports.ask(question, signal, call);
    const why = decision.choice === "deny" ? (decision.reason ?? refusalReasons[decision.why]) : undefined;
    if (why !== undefined && asked !== undefined) declines.set(asked, why);
    return decision;
  };
}

const refusalReasons: Readonly<Partial<Record<Decision["why"], string>>> = {
  not_asked: "not asked: no one was there to ask",
  timeout: "not allowed: nobody answered in time",
  policy: "not allowed: a rule of this installation forbids it",
};

/** From the item itself when it has come, else from the thread. */
async function changesOf(live: LiveTurn, itemId: string): Promise<readonly Change[] | undefined> {
  const body = live.state.open.get(itemId)?.body;
  if (body?.type === "fileChange") return body.changes;
  const turns = await readThreadTurns(live.server, live.state.threadId).catch(() => []);
  const items = turns.flatMap((turn) => turn.items).map(fieldsOf);
  const found = items.find((item) => item["id"] === itemId);
  return found === undefined ? undefined : readChanges(found["changes"]);
}
