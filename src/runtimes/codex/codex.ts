import type { EndedEvent, NoticeEvent, TurnEvent } from "../../core/events.ts";
import { type Fault, FaultError, bugFault } from "../../core/faults.ts";
import type { TurnId } from "../../core/ids.ts";
import type { InputPart } from "../../core/messages.ts";
import { redactor } from "../../lib/redact/redact.ts";
import { RpcError } from "../../lib/rpc/rpc-message.ts";
import type { Ports, RecordFrame, Runtime, Steered, Turn, UnaskedWork } from "../runtime.ts";
import { watchAgentFiles } from "./agent-file-watch.ts";
import { compactThread } from "./compact-thread.ts";
import { followTurn } from "./follow-turn.ts";
import { commandOf as commandIn } from "./items/strays.ts";
import { beginTurn } from "./items/turn-machine.ts";
import { arrivedIn } from "./journal.ts";
import type { LiveTurn } from "./live-turn.ts";
import type { CodexPlan } from "./plan.ts";
import type { AppServer } from "./process/app-server.ts";
import { AppServerGone, RequestTimedOut } from "./process/gone.ts";
import type { AppServerPool } from "./process/pool.ts";
import { goneFault, rpcFault, inputTooLong } from "./process/process-fault.ts";
import { type EventSink, pushedEvents } from "./pushed-events.ts";
import { recoverTurn } from "./recover-turn.ts";
import { runSideTurn } from "./side-turn.ts";
import { inputItems, startTurn } from "./start-turn.ts";
import { interrupt } from "./stop-turn.ts";
import { type Offer, hostNamespace, offered } from "./thread-settings/offered-tools.ts";
import { cutTyping } from "./thread/cut-typing.ts";
import { leftScripts } from "./thread/left-scripts.ts";
import { recordedUsage, withRecorded } from "./thread/recorded-usage.ts";
import { leaveTurn, markKnown } from "./thread/seed.ts";
import { silentCalls } from "./thread/silent-calls.ts";
import { totalBefore } from "./thread/thread-total.ts";
import { type OpenThread, openThread } from "./thread/thread.ts";
import type { TurnSide } from "./thread/turn-side.ts";
import { ignoredNotices } from "./thread/ignored-switches.ts";
import { watchedThread } from "./watch/watched-thread.ts";
import { type ThreadWatches, threadWatches } from "./watch/thread-watches.ts";
import { turnIdOf } from "./wire/scope.ts";

export type CodexDeps = {
  readonly pool: AppServerPool;
  /** How codex is to run this turn, or why it cannot. */
  readonly plan: (turn: Turn, signal: AbortSignal) => Promise<CodexPlan | Fault>;
  /** The host tools that codex may be offered. */
  readonly offer: Offer;
  /** Lets a recording see every frame of the processes of this runtime. */
  readonly frames: FrameTap;
  /** Masks the secrets of the person in what codex says. Without it only well-known key formats are. */
  readonly redact?: (text: string) => string;
  /** Told after a turn what codex said in it that this version does not know. */
  readonly onDrift?: (names: ReadonlyMap<string, number>) => void;
};

type CodexShared = CodexDeps & {
  readonly redact: (text: string) => string;
  readonly running: Map<TurnId, LiveTurn>;
  readonly watched: ThreadWatches;
};

export type FrameTap = { listen(record: RecordFrame): () => void };

/** Runs turns on `codex app-server`: one process for many sessions, one thread for each session and folder. */
export function codexRuntime(deps: CodexDeps): Runtime {
  const running = new Map<TurnId, LiveTurn>();
  const { redact = redactor() } = deps;
  let take: ((work: UnaskedWork) => void) | undefined;
  const watched = threadWatches({
    ...deps,
    redact,
    onWork: (work) => take?.(work),
    onUnknownThread: () => deps.onDrift?.(new Map([["turn on an unknown thread", 1]])),
  });
  const shared = { ...deps, redact, running, watched };
  return {
    name: "codex",
    onInput: watched.onInput,
    run: (turn, ports) => events(turn, ports, (own, out, start) => runTurn(shared, turn, own, out, start)),
    steer: (turn, input, name) => steer(running.get(turn), inputItems(input), name),
    leave: leaveTurn,
    compact: (turn, ports) =>
      compactThread(shared, turn, ports).catch((error: unknown) => faultOf(error, undefined)),
    sideTurn: (turn, ports) =>
      events(turn, ports, (own, out, start) =>
        runSideTurn(deps, turn, own, out, start).catch((error: unknown) =>
          couldNotStart(own, error, undefined),
        ),
      ),
    recover: (turn, ports) => recoverTurn(deps, turn, ports),
    arrivedInputs: (turn, ports) => arrivedIn(deps, turn, ports),
    onUnasked: (listener) => void (take = listener),
    markKnown,
    flushUnasked: watched.settled,
    release: watched.release,
    running: watched.running,
    endRunning: watched.endRunning,
    [Symbol.asyncDispose]: () => deps.pool[Symbol.asyncDispose](),
  };
}

type TurnRunner = (ports: Ports, out: EventSink, start: (facts: StartFacts) => void) => Promise<EndedEvent>;

/** The events of a turn. Whoever stops reading stops the turn. */
const events = (turn: Turn, ports: Ports, runner: TurnRunner): AsyncIterable<TurnEvent> =>
  pushedEvents(async (out, left) => {
    const start = startOnce(turn, out);
    const ended = await runner({ ...ports, signal: AbortSignal.any([ports.signal, left]) }, out, start);
    start({});
    out.push(ended);
  });

/** `started` comes first and once, with what is known by then. */
function startOnce(turn: Turn, out: EventSink): (facts: StartFacts) => void {
  let started = false;
  return ({ model = turn.model ?? "", ...facts }) => {
    if (!started) out.push({ type: "started", runtime: "codex", model, cwd: turn.cwd, ...facts });
    started = true;
  };
}

type StartFacts = { readonly model?: string; readonly side?: TurnSide };

/** Runs a whole turn: process, thread, turn, end. Never rejects. */
async function runTurn(
  deps: CodexShared,
  turn: Turn,
  ports: Ports,
  out: EventSink,
  start: (facts: StartFacts) => void,
): Promise<EndedEvent> {
  let plan: CodexPlan | undefined;
  let used: AppServer | undefined;
  using recorders = new DisposableStack();
  if (ports.record !== undefined) recorders.defer(deps.frames.listen(ports.record));
  try {
    const planned = inputFault(turn.input) ?? (await deps.plan(turn, ports.signal));
    if ("code" in planned) return failed(planned);
    plan = planned;
    await deps.watched.ready(turn.session);
    using lease = await deps.pool.lease(plan.launch, ports.signal);
    const { server } = lease;
    used = server;
    const tools = offered(ports.tools, deps.offer);
    const thread = await openThread(server, turn, ports, plan, tools);
    const gaps = await ignoredNotices(server, plan, turn, ports);
    using watched = await watchedThread(deps.watched.of(server, thread, turn, ports), () =>
      readBeforeTurn(server, thread, turn, planned, ports),
    );
    const { feed, left, prepared } = watched;
    const { silent, scripts, typing, agentFiles, before } = prepared;
    const turnId = await startTurn(server, thread, turn);
    const commandOf = (itemId: string): string | undefined => commandIn(left.strays, itemId);
    const place = { threadId: thread.id, turnId, cwd: turn.cwd, hostNamespace };
    const state = beginTurn({ ...place, commandOf, redact: deps.redact, ...before });
    const parts = { server, thread, tools, turn, ports, plan, state, declines: new Map(), left };
    const live: LiveTurn = { ...parts, out: agentFiles.hearing(out), silentCalls: silent, cutTyping: typing };
    start({ model: turn.model ?? thread.model, side: { thread: thread.id, turn: turnId } });
    for (const notice of [...warningsOf(server, plan), ...thread.notices, ...gaps]) out.push(notice);
    deps.running.set(turn.id, live);
    try {
      if (thread.isKept !== true) await saveBinding(live);
      const { ended, drain } = await followTurn(live, feed);
      if (live.state.drift.size > 0) deps.onDrift?.(live.state.drift);
      await watched.leave(live, scripts);
      if (drain !== undefined) deps.pool.drain(server, drain);
      const changed = await agentFiles.changed(ports.clock.now());
      if (changed !== undefined) out.push(changed);
      if (ended.outcome === "done") return ended;
      if (drain === "wedged" || !server.alive) await saveBinding(live, true);
      return withRecorded(ended, await recordedUsage(thread.file, turnId));
    } finally {
      deps.running.delete(turn.id);
    }
  } catch (error) {
    // What it was asked may be done when it answers again, and the next turn would wait for the same one.
    if (error instanceof RequestTimedOut && used !== undefined) deps.pool.drain(used, "wedged");
    return couldNotStart(ports, error, plan);
  }
}

/** What has to be known of the thread before a turn starts. */
async function readBeforeTurn(
  server: AppServer,
  thread: OpenThread,
  { cwd }: Turn,
  plan: CodexPlan,
  { signal, binding }: Ports,
) {
  signal.throwIfAborted();
  const [silent, scripts, typing, agentFiles, before] = await Promise.all([
    silentCalls(thread.file),
    leftScripts(thread.file),
    cutTyping(thread.file),
    watchAgentFiles(cwd, plan),
    totalBefore(server, thread),
    // Before anything happens on it: whoever repairs a turn in which we died has to know where to look.
    thread.isNew === true ? binding.save({ ...thread.binding, told: thread.binding.at }) : undefined,
  ]);
  return { silent, scripts, typing, agentFiles, before };
}

function couldNotStart({ signal }: Ports, error: unknown, plan: CodexPlan | undefined): EndedEvent {
  if (signal.aborted) return { type: "ended", outcome: "interrupted", text: "", calls: 0 };
  return failed(faultOf(error, plan));
}

/** Where the session goes on next time. If that cannot be kept, the turn must not go on either. */
async function saveBinding(live: LiveTurn, cut = false): Promise<void> {
  try {
    await live.ports.binding.save({ ...live.thread.binding, turn: live.state.turnId, cut });
  } catch (error) {
    await interrupt(live, live.ports.clock);
    throw error;
  }
}

const warned = new WeakMap<AppServer, number>();

/** What codex says about its own settings, and what we say about its version: once for each process. */
function warningsOf(server: AppServer, plan: CodexPlan): readonly NoticeEvent[] {
  const all = [...plan.warnings, ...server.notices].filter((text) => !isAboutBubblewrap(text));
  const fresh = all.slice(warned.get(server) ?? 0);
  warned.set(server, all.length);
  return fresh.map((text) => ({ type: "notice", code: "codex_warning", text }));
}

/** Said at every start on a machine without bubblewrap, although codex brings its own: `doctor` is the place for it. */
const isAboutBubblewrap = (text: string): boolean => /\bbubblewrap\b/i.test(text);

async function steer(live: LiveTurn | undefined, input: unknown, name: string | undefined): Promise<Steered> {
  if (live === undefined) return "refused";
  const { threadId, turnId } = live.state;
  try {
    const signed = name === undefined ? {} : { clientUserMessageId: name };
    const params = { threadId, expectedTurnId: turnId, ...signed, input };
    const { signal } = new AbortController();
    const reply = await live.server.request("turn/steer", params, { signal, timeoutMs: 10_000 });
    return turnIdOf(reply) === turnId ? "taken" : "indeterminate";
  } catch (error) {
    return error instanceof RpcError ? "refused" : "indeterminate";
  }
}

const failed = (fault: Fault): EndedEvent => ({
  type: "ended",
  outcome: "failed",
  fault,
  text: "",
  calls: 0,
});

/** Why a turn could not be started or followed. */
export function faultOf(error: unknown, plan: CodexPlan | undefined): Fault {
  const context = { loopRouteExists: plan?.loopRouteExists ?? false };
  if (error instanceof FaultError) return error.fault;
  if (error instanceof AppServerGone) return goneFault(error.gone, { ...context, starting: error.starting });
  if (error instanceof RpcError) return rpcFault("a request", error, context);
  if (error instanceof RequestTimedOut)
    return { code: "lost", message: error.message, next: "Send it again." };
  return bugFault(error);
}

/** Codex takes no more at once: all texts of an input together, a character outside of the basic plane as one. */
const mostCharacters = 1_048_576;

/** Why codex would not take it. Known before anything is started. */
function inputFault(input: readonly InputPart[]): Fault | undefined {
  const texts = input.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const units = texts.reduce((sum, text) => sum + text.length, 0);
  if (units <= mostCharacters) return undefined;
  const characters = texts.reduce((sum, text) => sum + codePoints(text), 0);
  if (characters <= mostCharacters) return undefined;
  const counts = [characters, mostCharacters].map((count) => count.toLocaleString("en-US"));
  return inputTooLong(`The message has ${counts[0]} characters, and codex takes ${counts[1]} at most.`);
}

function codePoints(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length - 1; at++) if ((text.codePointAt(at) ?? 0) > 0xffff) count -= 1;
  return count;
}
