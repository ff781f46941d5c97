import type { Context } from "hono";
import type { Clock } from "../../lib/clock.ts";
import { noLongerNeeded } from "../../lib/no-longer-needed.ts";
import { HttpFailure, answered, errorBody } from "./failures.ts";
import type { Env } from "./visit.ts";

/** One event of a stream, as it goes over the wire. */
export function frame(
  data: unknown,
  { id, event }: { readonly id?: string; readonly event?: string } = {},
): string {
  const lines = [
    ...(id === undefined ? [] : [`id: ${id}`]),
    ...(event === undefined ? [] : [`event: ${event}`]),
    `data: ${JSON.stringify(data)}`,
  ];
  return `${lines.join("\n")}\n\n`;
}

/** Why a stream ends early, in the words of an answer. */
export function errorFrame(error: unknown, event?: "error"): string {
  const { failure, status } = answered(error);
  return frame(errorBody(failure, status), event === undefined ? {} : { event });
}

/** Behind which event a reader goes on, if it says so. */
export const cursorIn = (c: Context<Env>): string | undefined =>
  c.req.header("Last-Event-ID") || c.req.query("after") || undefined;

/**
 * Whoever may not ask hears it as an answer, not as the first word of a stream. `first`: there is a first value at once,
 * so what is wrong is known before it.
 */
export async function begun<Value>(
  values: AsyncIterable<Value>,
  when: "soon" | "first" = "soon",
): Promise<AsyncIterable<Value>> {
  const iterator = values[Symbol.asyncIterator]();
  const first = iterator.next();
  first.catch(() => {}); // told to whoever reads
  await (when === "first" ? first : Promise.race([first, new Promise((resolve) => setImmediate(resolve))]));
  let heard: typeof first | undefined = first;
  return {
    [Symbol.asyncIterator]: () => ({
      next() {
        const next = heard ?? iterator.next();
        heard = undefined;
        return next;
      },
      return: async () => (await iterator.return?.()) ?? { done: true, value: undefined },
    }),
  };
}

/** So that whoever stands in between does not take silence for the end. */
const keepAliveMs = 10_000;

/**
 * Answers with what comes, as fast as it is read: a reader that stalls is waited for. `left` is called when the reader is
 * gone, and the visit ends with the stream.
 */
export function streamed(
  c: Context<Env>,
  frames: AsyncIterator<string, unknown>,
  clock: Clock,
  left: () => void = () => {},
): Response {
  c.set("streaming", true);
  const [gone, leave] = [c.get("gone"), c.get("leave")];
  const encoder = new TextEncoder();
  let next: Promise<IteratorResult<string, unknown>> | undefined;
  const over = async (): Promise<void> => {
    leave();
    left();
    await frames.return?.();
  };
  const body = new ReadableStream<Uint8Array>({
    async pull(out) {
      next ??= frames.next();
      const quiet = new AbortController();
      const result = await Promise.race([
        next,
        clock.sleep(keepAliveMs, quiet.signal).then(() => "quiet" as const),
        aborted(gone),
      ]).finally(() => quiet.abort(noLongerNeeded));
      if (result === "quiet") return out.enqueue(encoder.encode(": still here\n\n"));
      next = undefined;
      if (result !== "gone" && result.done !== true) return out.enqueue(encoder.encode(result.value));
      if (result === "gone" && gone.reason instanceof HttpFailure)
        out.enqueue(encoder.encode(errorFrame(gone.reason, "error")));
      out.close();
      await over();
      return undefined;
    },
    cancel: over,
  });
  return c.body(body, 200, {
    "Content-Type": "text/event-stream; charset=utf-8",
    "X-Accel-Buffering": "no",
  });
}

const aborted = (signal: AbortSignal): Promise<"gone"> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve("gone");
    signal.addEventListener("abort", () => resolve("gone"), { once: true });
  });
