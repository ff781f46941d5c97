import { type EventSourceMessage, createParser } from "eventsource-parser";
import type { Failure } from "../../core/failure.ts";
import { Refusal, type RefusalCode } from "../../core/host.ts";
import type { Edge } from "../../operations/edge.ts";

export type Heard = Pick<EventSourceMessage, "event" | "id" | "data">;

/** The events of an answer as they come. Leaving the loop closes the connection. */
export async function* heard(answer: Response): AsyncGenerator<Heard, void, void> {
  const waiting: Heard[] = [];
  const parser = createParser({ onEvent: (event) => void waiting.push(event) });
  const decoder = new TextDecoder();
  if (answer.body === null) return;
  for await (const bytes of answer.body as unknown as AsyncIterable<Uint8Array>) {
    parser.feed(decoder.decode(bytes, { stream: true }));
    yield* waiting.splice(0);
  }
}

type Said = { readonly error: Failure };
const refusalOf = ({ error: { code, message, next } }: Said): Refusal =>
  new Refusal(code as RefusalCode, message, next);

const isOver = (signal: AbortSignal | undefined): boolean => signal?.aborted === true;

/** Operations over HTTP, for whoever has this key. What is asked after a stream comes after its beginning. */
export function httpEdge(origin: string, key: () => Promise<string>): Edge {
  const beginning = new Set<Promise<unknown>>();
  const post = async (name: string, input: unknown, signal?: AbortSignal): Promise<Response> => {
    const answer = await fetch(`${origin}/api/${name}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${await key()}`, "Content-Type": "application/json" },
      body: JSON.stringify(input),
      ...(signal === undefined ? {} : { signal }),
    });
    if (answer.ok) return answer;
    const { error, ...outcome } = (await answer.json()) as Said;
    // An answer that had no effect is a value, whatever its status.
    if ("outcome" in outcome) return Response.json(outcome);
    throw refusalOf({ error });
  };
  const stream = async function* (
    name: string,
    input: unknown,
    signal?: AbortSignal,
  ): AsyncGenerator<unknown, void, void> {
    if (isOver(signal)) return void (await (await post(name, input)).body?.cancel());
    const opening = post(name, input, signal);
    beginning.add(opening);
    try {
      const answer = await opening.finally(() => beginning.delete(opening));
      for await (const { event, data } of heard(answer)) {
        if (event === "error") throw refusalOf(JSON.parse(data) as Said);
        if (event === "end") return;
        yield JSON.parse(data);
      }
    } catch (error) {
      if (!isOver(signal)) throw error;
    }
  };
  return {
    async ask(name, input, signal) {
      await Promise.allSettled(beginning);
      const answer = await post(name, input, signal);
      if (answer.headers.get("Content-Type")?.startsWith("text/event-stream") === true) {
        await answer.body?.cancel();
        throw new Refusal("usage", `${name} is a stream.`, "Follow it.");
      }
      return answer.json();
    },
    stream,
    open: async (name, input, signal) => stream(name, input, signal),
  };
}
