import type { Stopped } from "../core/host.ts";
import { isPlatform } from "../core/gateway/chat.ts";
import type { SessionId } from "../core/ids.ts";
import { type Principal, isSamePerson } from "../core/principal.ts";
import type { StoredInput } from "../core/session.ts";
import type { AgentShared } from "./agent-shared.ts";
import { isAllOf, somebodyElses } from "./own-turns.ts";
import { endRunning, runningIn } from "./recovery/still-running.ts";

/** What waits is set aside first, so that nothing starts while the running turn is being interrupted. */
export async function stop(shared: AgentShared, session: SessionId, by?: Principal): Promise<Stopped> {
  const { deps, jobs, beginning, compressing } = shared;
  const all = await isAllOf(deps.store, session, by);
  const isTheirs = ({ from }: StoredInput): boolean => all || (by !== undefined && isSamePerson(from, by));
  let setAside = 0;
  for (const input of (await deps.store.inbox.inState("waiting", session)).filter(isTheirs)) {
    if (await deps.store.inbox.move(input.id, "waiting", "kept")) setAside += 1;
  }
  // What had begun before that is a job then.
  await Promise.allSettled(beginning.get(session) ?? []);
  const head = jobs.get(session)?.[0];
  const own = head !== undefined && isTheirs(head.input) ? head : undefined;
  const goesOn = head !== own || (!all && runningIn(deps, session).length > 0);
  if (own === undefined && setAside === 0 && goesOn)
    throw somebodyElses("What runs here is somebody else's.");
  own?.stop.abort();
  if (all) compressing.get(session)?.abort();
  const interrupted = (await own?.ended) !== undefined;
  return {
    interrupted,
    ...(own === undefined ? {} : answeredIn(own.input)),
    setAside,
    ended: all ? await endRunning(deps, session) : [],
  };
}

/** What came from a chat is answered there, however it ends. */
const answeredIn = ({ key: { surface, account, chat }, work }: StoredInput): Pick<Stopped, "answered"> =>
  isPlatform(surface) && work === undefined ? { answered: { surface, account, chat } } : {};
