import type { SessionId, TurnId } from "../../core/ids.ts";
import type { InputPart } from "../../core/messages.ts";
import type { Session } from "../../core/session.ts";
import { typedInput } from "../../core/skill-input.ts";
import { type Clock, timeLimit } from "../../lib/clock.ts";
import { noLongerNeeded } from "../../lib/no-longer-needed.ts";
import { retry } from "../../lib/retry.ts";
import { untilStopped } from "../../lib/time-limit.ts";
import type { Store } from "../../store/store.ts";
import { type MemoryProvider, ProviderError, type ProviderTurn } from "./memory-provider.ts";

export type MemoryServiceDeps = {
  readonly provider: MemoryProvider;
  readonly store: Pick<Store, "sessions">;
  /** As text from outside reaches a model. */
  readonly delimited: (source: string, text: string) => string;
  /** Masks secrets in what leaves this machine. */
  readonly redact: (text: string) => string;
  readonly clock: Clock;
  /** Is told about a failure, once. */
  readonly tell: (line: string) => void;
};

/** The memory service beside the turns of this process. Nothing of it rejects. */
export interface MemoryService extends AsyncDisposable {
  /** What it knows about an input, as lines of context. Resolves within two seconds. */
  before(
    session: Pick<Session, "id" | "cwd">,
    input: readonly InputPart[],
    signal: AbortSignal,
  ): Promise<readonly string[]>;
  /** Sends a finished turn to the service in the background. Returns at once. */
  after(session: SessionId, turn: TurnId): void;
}

const prefetchMs = 2_000;
const syncMs = 10_000;
/** How long the program's exit waits for what is in flight. */
const closingMs = 2_000;
const maxChars = 8_000;
const mostWaiting = 50;

export function openMemoryService(deps: MemoryServiceDeps): MemoryService {
  const { provider, delimited: fenced, redact, clock } = deps;
  const stop = new AbortController();
  const inFlight = new Set<Promise<void>>();
  const tellOnce = once((why: string) =>
    deps.tell(`The memory service ${provider.name} does not work: ${why}. Turns go on without it.`),
  );
  let chain = Promise.resolve();

  return {
    async before({ id, cwd }, input, signal) {
      const query = wordsIn(input);
      if (query.trim() === "") return [];
      try {
        const asked = (inTime: AbortSignal): Promise<string> =>
          provider.prefetch(truncated(redact(query)), { session: id, cwd }, inTime);
        const text = await withinTime(clock, prefetchMs, AbortSignal.any([signal, stop.signal]), asked);
        if (text.trim() === "") return [];
        return [fenced(`the memory service ${provider.name}`, cut(redact(text)))];
      } catch (error) {
        if (!signal.aborted && !stop.signal.aborted) tellOnce(reasonOf(error));
        return [];
      }
    },

    after(session, turn) {
      if (inFlight.size >= mostWaiting) return tellOnce("it cannot keep up");
      const told = chain
        .then(() => sync(deps, session, turn, stop.signal))
        .catch((error: unknown) => {
          if (!stop.signal.aborted) tellOnce(reasonOf(error));
        });
      chain = told;
      inFlight.add(told);
      void told.finally(() => inFlight.delete(told));
    },

    async [Symbol.asyncDispose]() {
      const over = new AbortController();
      const patience = clock.sleep(closingMs, over.signal, { hold: true }).catch(() => {});
      if (inFlight.size > 0) await Promise.race([chain, patience]);
      over.abort(noLongerNeeded);
      stop.abort(noLongerNeeded);
      await chain;
    },
  };
}

async function sync(
  deps: MemoryServiceDeps,
  session: SessionId,
  turn: TurnId,
  signal: AbortSignal,
): Promise<void> {
  const words = await wordsOf(deps, session, turn);
  if (words === undefined) return;
  const { provider, clock } = deps;
  await retry(() => withinTime(clock, syncMs, signal, (inTime) => provider.sync(words, inTime)), {
    tries: 4,
    baseMs: 1_000,
    maxMs: 8_000,
    clock,
    signal,
    retryable: (error) => !(error instanceof ProviderError) || error.again,
  });
}

/** What the person said in a turn and what was answered, without what tools returned. */
async function wordsOf(
  { store, redact }: MemoryServiceDeps,
  session: SessionId,
  turn: TurnId,
): Promise<ProviderTurn | undefined> {
  const found = await store.sessions.get(session);
  if (found?.audience !== "owner") return undefined;
  const rows = (await store.sessions.messages(session, { from: turn })).filter((row) => row.turn === turn);
  const said = rows.flatMap(({ message }) => (message.role === "user" ? [wordsIn(message.content)] : []));
  const answered = rows.flatMap(({ message }) => (message.role === "assistant" ? [message.content] : []));
  const assistant = answered.findLast((text) => text.trim() !== "");
  if (said.length === 0 || assistant === undefined) return undefined;
  const own = (text: string): string => truncated(redact(text));
  return { session, cwd: found.cwd, turn, user: own(said.join("\n")), assistant: own(assistant) };
}

/** Without the text of a skill that came along: it would drown out the person's words. */
const wordsIn = (content: string | readonly InputPart[]): string =>
  typedInput(
    typeof content === "string"
      ? content
      : content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n"),
  );

const truncated = (text: string): string => text.slice(0, maxChars).toWellFormed();

const cut = (text: string): string =>
  text.length > maxChars ? `${truncated(text)}\n[the rest was left out]` : text;

/** Whatever comes first: the job's end, the time, or the signal. */
async function withinTime<T>(
  clock: Clock,
  ms: number,
  signal: AbortSignal,
  job: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const why = new ProviderError(`it did not answer within ${ms / 1000} seconds`, true);
  using late = timeLimit(clock, ms, { why });
  const stop = AbortSignal.any([signal, late.signal]);
  return await untilStopped(job(stop), stop);
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function once(say: (text: string) => void): (text: string) => void {
  let said = false;
  return (text) => {
    if (!said) say(text);
    said = true;
  };
}
