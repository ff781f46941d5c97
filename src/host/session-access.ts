import { Refusal, type Sessions } from "../core/host.ts";
import type { SessionId } from "../core/ids.ts";
import type { Session } from "../core/session.ts";
import type { Clock } from "../lib/clock.ts";
import type { Owner, Store } from "../store/store.ts";
import { exportJsonl, exportMarkdown } from "../transcript/export.ts";

/** Sessions as surfaces see them. */
export function sessionAccess(
  store: Store,
  owner: Owner,
  isGone: (owner: Owner) => boolean,
  clock: Clock,
): Sessions {
  return {
    get: (idOrPrefix) => findOne(store, idOrPrefix),
    list: (filter) => store.sessions.list(filter),
    messages: (session) => store.sessions.messages(session),
    turns: (session) => store.sessions.turns(session),
    search: (query) => store.search(query),
    async export(session, format) {
      const found = await findOne(store, session);
      const messages = await store.sessions.messages(session);
      return format === "md" ? exportMarkdown(found, messages) : exportJsonl(messages);
    },
    async delete(session: SessionId) {
      // Under the lease, so that no process can be writing to it.
      const answer = await store.leases.acquire(session, owner, clock.now(), isGone);
      if ("busy" in answer) {
        throw new Refusal(
          "busy",
          `Session ${session} is busy (pid ${answer.busy.pid}).`,
          "Stop it there first.",
        );
      }
      await store.sessions.delete(session);
    },
  };
}

async function findOne(store: Store, idOrPrefix: string): Promise<Session> {
  const found = idOrPrefix === "" ? [] : await store.sessions.find(idOrPrefix);
  const exact = found.find((session) => session.id === idOrPrefix);
  const [only, ...more] = found;
  if (exact !== undefined) return exact;
  if (only === undefined) {
    throw new Refusal("not_found", `There is no session "${idOrPrefix}".`, "See `talaria sessions list`.");
  }
  if (more.length === 0) return only;
  const some = found.map((session) => session.id).join(", ");
  throw new Refusal("not_found", `"${idOrPrefix}" fits several sessions: ${some}.`, "Write more of the id.");
}
