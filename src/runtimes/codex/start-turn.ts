import type { Json } from "../../core/json.ts";
import type { InputPart } from "../../core/messages.ts";
import { RpcError } from "../../lib/rpc/rpc-message.ts";
import type { Turn } from "../runtime.ts";
import type { AppServer } from "./process/app-server.ts";
import type { OpenThread } from "./thread/thread.ts";
import { hasAbility } from "./process/version.ts";
import { contextOf, rememberContext, newContext } from "./thread/told-context.ts";
import { turnIdOf } from "./wire/scope.ts";

const startMs = 10_000;

/** Starts the turn on its thread. The reply names it; from then on it can be steered and interrupted. */
export async function startTurn(server: AppServer, thread: OpenThread, turn: Turn): Promise<string> {
  const { model, effort, outputSchema } = turn;
  const context = contextOf(thread, turn);
  const news = newContext(server, thread.id, context);
  const params = {
    threadId: thread.id,
    // Tells our turn from others when a crash has to be repaired.
    clientUserMessageId: turn.id,
    input: inputItems(turn.input),
    ...(model === undefined ? {} : { model }),
    ...(effort === undefined ? {} : { effort }),
    ...(outputSchema === undefined ? {} : { outputSchema }),
    // One that does not take it was told when the thread was opened.
    ...(news.length > 0 && hasAbility("turnContext", server.userAgent)
      ? { additionalContext: additionalContext(news) }
      : {}),
  };
  // Not given up by Stop: the id of a turn that may have started must not be lost.
  const { signal } = new AbortController();
  const id = turnIdOf(await server.request("turn/start", params, { signal, timeoutMs: startMs }));
  if (id === undefined) throw new RpcError(-32603, "turn/start was answered without the id of a turn");
  rememberContext(server, thread.id, context);
  return id;
}

export const inputItems = (input: readonly InputPart[]): Json =>
  input.map((part) =>
    part.type === "text"
      ? { type: "text", text: part.text }
      : { type: "image", url: `data:${part.mediaType};base64,${part.base64}` },
  );

const additionalContext = (blocks: readonly string[]): Json =>
  Object.fromEntries(blocks.map((value, at) => [`talaria_${at + 1}`, { kind: "application", value }]));
