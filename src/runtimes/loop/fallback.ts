import type { NoticeEvent } from "../../core/events.ts";
import type { Fault, FaultCode } from "../../core/faults.ts";
import type { Route } from "../../models/model.ts";

/** The routes of a turn in the order of preference; a Fault stands for one that cannot be used as it is set up. */
export type Candidates = readonly [Candidate, ...Candidate[]];
type Candidate = Route | Fault;

/** Where a turn asks, and where it has not asked yet. */
export type Routing = { readonly route: Route; readonly others: readonly Candidate[] };

/** Until when (wall time) routes are out of use, as their providers said. Outlives the turns. */
export type Resting = Map<string, number>;

export type Switch = { readonly routing: Routing; readonly notice?: NoticeEvent };

/** Where a turn begins: the first route that can be used, with a notice if that is not the preferred one. */
export function firstRoute(candidates: Candidates, resting: Resting, now: number): Switch | Fault {
  const { routing, skipped } = pick(candidates, resting, now);
  if (routing !== undefined) return switched(routing, skipped);
  // All of them rest: the preferred one knows best when it is ready again.
  const at = candidates.findIndex((candidate) => !isFault(candidate));
  const route = candidates[at];
  if (route === undefined || isFault(route)) return isFault(candidates[0]) ? candidates[0] : noRoute;
  return switched({ route, others: candidates.slice(at + 1) }, skipped.slice(0, at));
}

/** Where it goes on after its route failed, or the fault with which it ends. */
export function nextRoute(
  { route, others }: Routing,
  failed: { readonly fault: Fault; readonly retryAfterMs?: number },
  resting: Resting,
  now: number,
): Required<Switch> | Fault {
  const { fault, retryAfterMs } = failed;
  if (!helpsElsewhere.has(fault.code)) return fault;
  if (retryAfterMs !== undefined) resting.set(keyOf(route), now + retryAfterMs);
  const { routing, skipped } = pick(others, resting, now);
  if (routing !== undefined)
    return { routing, notice: switchNotice(routing.route, [fault.message, ...skipped]) };
  return skipped.length === 0 ? fault : { ...fault, message: [fault.message, ...skipped].join(" ") };
}

/** Another provider may do what this one cannot. It would read the same too long conversation, and refuse the same. */
const helpsElsewhere: ReadonlySet<FaultCode> = new Set([
  "quota",
  "rate_limited",
  "overloaded",
  "network",
  "auth",
  "config",
]);

type Picked = { readonly routing?: Routing; readonly skipped: readonly string[] };

function pick(candidates: readonly Candidate[], resting: Resting, now: number): Picked {
  const skipped: string[] = [];
  for (const [at, candidate] of candidates.entries()) {
    const why = whySkipped(candidate, resting, now);
    if (why === undefined && !isFault(candidate)) {
      return { routing: { route: candidate, others: candidates.slice(at + 1) }, skipped };
    }
    skipped.push(why ?? "");
  }
  return { skipped };
}

function whySkipped(candidate: Candidate, resting: Resting, now: number): string | undefined {
  if (isFault(candidate)) return candidate.message;
  const until = resting.get(keyOf(candidate)) ?? 0;
  return until > now ? restingText(candidate, until) : undefined;
}

const switched = (routing: Routing, skipped: readonly string[]): Switch =>
  skipped.length === 0 ? { routing } : { routing, notice: switchNotice(routing.route, skipped) };

const switchNotice = ({ name, model }: Route, reasons: readonly string[]): NoticeEvent => ({
  type: "notice",
  code: "route_switched",
  text: `${reasons.join(" ")} The turn goes on with ${model} at ${name}.`,
});

const restingText = ({ name, model }: Route, until: number): string =>
  `${model} at ${name} is not to be asked before ${new Date(until).toISOString().slice(0, 16).replace("T", " ")} UTC.`;

const keyOf = ({ name, model }: Route): string => `${name} ${model}`;

const isFault = (candidate: Candidate): candidate is Fault => "code" in candidate;

const noRoute: Fault = {
  code: "config",
  message: "No model can be asked: none of the routes can be used.",
  next: "See `talaria doctor`, and set model.provider.",
};
