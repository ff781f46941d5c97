import type { Agent } from "../../agent/index.ts";
import type { EndedEnvelope } from "../../core/events.ts";
import { Refusal } from "../../core/host.ts";
import { type InboxId, newId } from "../../core/ids.ts";
import type { Principal } from "../../core/principal.ts";
import type { StoredInput } from "../../core/session.ts";
import { addSums, nothingSpent } from "../../core/usage.ts";
import type { TurnLimit } from "../../core/spend.ts";
import type { BatchLine, BatchResult, BatchStop } from "../../core/work/batch.ts";
import { type Lanes, lanes } from "../../lib/lanes.ts";
import { noLongerNeeded } from "../../lib/no-longer-needed.ts";
import type { Admission, Admitted, Store } from "../../store/store.ts";
import { notAskedIn } from "../not-asked.ts";
import type { RunnerDeps } from "../runner.ts";
import { reserve } from "./reserving.ts";
import { type EndedAttempt, type Verdict, verdictOf } from "./verdict.ts";
import { noSuchRuntime } from "../../core/text/no-such-runtime.ts";

export type BatchDeps = Omit<RunnerDeps, "agent"> & { readonly agent: Pick<Agent, "start" | "reconcile"> };

/** Who wants a line, and what holds where they are. */
export type Wanted = {
  readonly by: Principal;
  readonly runtimes: readonly string[];
  readonly defaultRuntime: string;
  /** Aborts when this process ends what runs in it. */
  readonly closing: AbortSignal;
  /** Resolves when the turn of this input has ended in another process. */
  readonly ended: (inbox: InboxId, signal: AbortSignal) => Promise<unknown>;
};

/** Lines of batches, each done once whoever asks for it and however often. */
export type BatchLines = {
  /** To its end. Rejects with a Refusal when it cannot be said what came of it. */
  run(line: BatchLine, wanted: Wanted): Promise<BatchResult | BatchStop>;
  /** One that waits although nobody has asked for it since: a dispatcher has found it. */
  take(input: StoredInput): Promise<"done" | "later">;
  /** Resolves when nothing runs any more. */
  settled(): Promise<void>;
};

/** `ended`: its turn ran here, and came to this. */
type Attempt = { readonly stop: BatchStop } | { readonly ended?: EndedEnvelope };

export function batchLines(deps: BatchDeps): BatchLines {
  const running = new Map<InboxId, Promise<Attempt>>();
  const desk: Desk = { begun: new Set(), inLine: lanes() };
  const begin = (input: StoredInput): Promise<Attempt> => {
    const known = running.get(input.id);
    if (known !== undefined) return known;
    const made = tried(deps, input, desk).finally(() => running.delete(input.id));
    running.set(input.id, made);
    return made;
  };
  return {
    run: (line, wanted) => runLine({ ...deps, ...wanted }, line, begin),
    async take(input) {
      if (running.has(input.id)) return "later";
      const did = await begin(input).catch(() => undefined);
      return did !== undefined && "ended" in did ? "done" : "later";
    },
    async settled() {
      await Promise.allSettled(running.values());
    },
  };
}

type LineDeps = BatchDeps & Wanted;

/** One attempt after the other, until one of them is the result. */
async function runLine(
  deps: LineDeps,
  line: BatchLine,
  begin: (input: StoredInput) => Promise<Attempt>,
): Promise<BatchResult | BatchStop> {
  await requireRunnable(deps, line);
  const attempts = await attemptsOf(deps, line);
  let mayRepeat = line.again === true;
  for (;;) {
    const last = attempts.at(-1) as StoredInput;
    const did = await broughtToEnd(deps, last, begin);
    if ("stop" in did) return did.stop;
    if (did.ended !== undefined && deps.closing.aborted) throw stopping();
    const { ended, answer } =
      did.ended === undefined ? await stored(deps.store, last) : await told(deps.store, last, did.ended);
    const verdict = verdictOf(ended, attempts.length);
    const isRepeat = mayRepeat && did.ended === undefined && "status" in verdict && verdict.status !== "done";
    if ("status" in verdict && !isRepeat) return resultOf(deps, line, attempts, verdict, answer);
    if (isRepeat) mayRepeat = false;
    if ("againInMs" in verdict && did.ended !== undefined)
      await deps.clock.sleep(verdict.againInMs, deps.closing);
    attempts.push((await admitted(deps, line, attempts.length + 1)).row);
  }
}

/** Runs what waits, and waits for what runs in another process. What has ended before is as it is. */
async function broughtToEnd(
  deps: LineDeps,
  input: StoredInput,
  begin: (input: StoredInput) => Promise<Attempt>,
): Promise<Attempt> {
  for (
    let now: StoredInput | undefined = input;
    now !== undefined;
    now = await deps.store.inbox.get(input.id)
  ) {
    const isOpen = now.turn !== undefined && (await deps.store.turns.get(now.turn))?.state === "open";
    if (now.state !== "waiting" && !isOpen) break;
    const did = isOpen ? {} : await begin(now);
    if ("stop" in did || did.ended !== undefined) return did;
    await waitElsewhere(deps, now);
  }
  await deps.store.workSpend.settle(input.id);
  return {};
}

async function requireRunnable({ runtimes, isFolder, closing }: LineDeps, line: BatchLine): Promise<void> {
  if (closing.aborted) throw stopping();
  const { runtime, cwd, text } = line;
  if (runtime !== undefined && !runtimes.includes(runtime)) throw noSuchRuntime(runtime, runtimes);
  if (text.trim() === "") throw new Refusal("usage", `Line ${line.line} says nothing.`, "Give it a prompt.");
  if (!(await isFolder(cwd)))
    throw new Refusal("usage", `There is no folder ${cwd}.`, "Name one with --cwd, or in the line.");
}

const stopping = (): Refusal =>
  new Refusal("stopping", "Talaria is shutting down.", "Type the same command again: it goes on.");

const keyOf = ({ batch, line }: BatchLine, attempt: number): StoredInput["key"] => ({
  surface: "batch",
  account: "",
  chat: batch,
  messageId: `${line} ${attempt}`,
});

/** Those there are; the first is made where there is none. */
async function attemptsOf(deps: LineDeps, line: BatchLine): Promise<StoredInput[]> {
  const first = await admitted(deps, line, 1);
  const found = [first.row];
  for (let isLast = first.fresh; !isLast;) {
    const next = await deps.store.inbox.named(keyOf(line, found.length + 1));
    if (next === undefined) isLast = true;
    else found.push(next);
  }
  return found;
}

function admitted(
  { store, clock, by, defaultRuntime }: LineDeps,
  line: BatchLine,
  attempt: number,
): Promise<Admitted> {
  const { cwd, title, model, runtime = defaultRuntime, text, batch, budget, total } = line;
  const at = clock.now();
  const admission: Admission = {
    id: newId("inb", at),
    at,
    from: by,
    key: keyOf(line, attempt),
    session: {
      id: newId("ses", at),
      cwd,
      surface: "batch",
      audience: "owner",
      title,
      runtime,
      ...(model === undefined ? {} : { model }),
    },
    input: [{ type: "text", text }],
    work: {
      origin: "batch",
      subject: batch,
      dueAt: at,
      attempt,
      terms: {
        target: "local",
        ...(budget === undefined ? {} : { budget }),
        ...(total === undefined ? {} : { total }),
      },
    },
  };
  return store.inbox.admit(admission);
}

/** What is begun of batches in this process, and those that found the budget full. */
type Desk = { readonly begun: Set<Promise<unknown>>; readonly inLine: Lanes<"full"> };

async function tried(deps: BatchDeps, input: StoredInput, { begun, inLine }: Desk): Promise<Attempt> {
  const isAlone = begun.size === 0;
  const first = await among(begun, async () => {
    const reserved = await reserve(deps, input, isAlone);
    return "limit" in reserved ? runTurn(deps, input, reserved.limit) : reserved;
  });
  if (!("full" in first) && !("stopped" in first)) return first;
  // One after the other: beside each other each would wait for others that have nothing to give back, and for ever.
  const next =
    "stopped" in first ? { stop: first } : await inLine.run("full", () => inTheEnd(deps, input, begun));
  if ("turn" in next) return await next.turn;
  await deps.store.workSpend.withdraw(input.id);
  return next;
}

/** When something that was begun has ended, there may be something left for this one. `turn`: it has begun. */
async function inTheEnd(
  deps: BatchDeps,
  input: StoredInput,
  begun: Set<Promise<unknown>>,
): Promise<{ readonly turn: Promise<Attempt> } | { readonly stop: BatchStop }> {
  for (;;) {
    const isAlone = begun.size === 0;
    const reserved = await reserve(deps, input, isAlone);
    if ("limit" in reserved) return { turn: among(begun, () => runTurn(deps, input, reserved.limit)) };
    if ("stopped" in reserved) return { stop: reserved };
    if (isAlone && begun.size === 0) return { stop: reserved.full };
    // All of it may have ended since: a race of nobody has no end.
    if (begun.size > 0) await Promise.race(begun);
  }
}

/** Counts from its first moment: of two that reserve at once one at most is alone. */
async function among<T>(begun: Set<Promise<unknown>>, work: () => Promise<T>): Promise<T> {
  const over = Promise.withResolvers<void>();
  begun.add(over.promise);
  try {
    return await work();
  } finally {
    begun.delete(over.promise);
    over.resolve();
  }
}

/** What it took takes the place of what was reserved for it with its end. */
async function runTurn({ agent }: BatchDeps, input: StoredInput, budget: TurnLimit): Promise<Attempt> {
  try {
    const sent = await agent.start(input, { budget });
    const ended = await sent.ended;
    return ended === undefined ? {} : { ended };
  } catch (error) {
    if (error instanceof Refusal && error.code === "busy") return {};
    throw error;
  }
}

/** A process that dies leaves its turn open: from time to time it is looked whether one did. */
const lookEveryMs = 10_000;

async function waitElsewhere({ agent, clock, closing, ended }: LineDeps, { id }: StoredInput): Promise<void> {
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, closing]);
  // While it runs in another process nothing else may keep this one alive.
  const late = clock.sleep(lookEveryMs, signal, { hold: true }).then(
    () => agent.reconcile(),
    () => {},
  );
  await Promise.race([ended(id, signal).catch(() => late), late]);
  over.abort(noLongerNeeded);
  if (closing.aborted) throw stopping();
}

type Looked = { readonly ended: EndedAttempt; readonly answer: string };

/** An attempt that has ended here just now. */
async function told(store: Store, { session }: StoredInput, ended: EndedEnvelope): Promise<Looked> {
  const { outcome: state, fault, calls, text } = ended;
  const turn = { state, ...(fault === undefined ? {} : { fault }) };
  const hasCalls = calls > 0;
  const hasItems = hasCalls || text !== "";
  const notAsked = hasCalls ? await notAskedIn(store, session) : [];
  return { ended: { turn, hasCalls, hasItems, notAsked, wasStopped: true }, answer: text };
}

/** One that ended before, or elsewhere. */
async function stored(store: Store, { id, session }: StoredInput): Promise<Looked> {
  const named = (await store.inbox.get(id))?.turn;
  const turn = named === undefined ? undefined : await store.turns.get(named);
  const items = turn === undefined ? [] : await store.turns.items(turn.id);
  const hasCalls = items.some(({ kind }) => kind === "call");
  const notAsked = hasCalls ? await notAskedIn(store, session) : [];
  return {
    ended: { turn, hasCalls, hasItems: items.length > 0, notAsked, wasStopped: false },
    answer: items.findLast((item) => item.kind === "text")?.text ?? "",
  };
}

async function resultOf(
  { store }: BatchDeps,
  { line }: BatchLine,
  attempts: readonly StoredInput[],
  verdict: Extract<Verdict, { readonly status: unknown }>,
  answer: string,
): Promise<BatchResult> {
  const sums = await Promise.all(attempts.map(({ session }) => store.usage.sum({ session })));
  const { input, cached, output, reasoning, cost } = sums.reduce(addSums, nothingSpent);
  return {
    line,
    status: verdict.status,
    session: (attempts.at(-1) as StoredInput).session,
    attempts: attempts.length,
    answer,
    usage: { input, cached, output, reasoning },
    ...(cost === undefined ? {} : { cost }),
    ...(verdict.error === undefined ? {} : { error: verdict.error }),
  };
}
