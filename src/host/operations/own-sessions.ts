import type { Client, OperationName } from "../../core/calls.ts";
import { Refusal } from "../../core/host.ts";
import { asId } from "../../core/ids.ts";
import { type Principal, belongsTo } from "../../core/principal.ts";
import type { Session } from "../../core/session.ts";
import { whyNot } from "../../operations/in-process.ts";
import { operationNamed } from "../../operations/table.ts";
import type { Store } from "../../store/store.ts";

type Sources = Pick<Store, "sessions" | "inbox" | "turns">;

/** Members and guests reach only sessions that are held with people like them; of others they hear that there is none. */
export function ownSessions(client: Client, caller: Principal, store: Sources): Client {
  const { role } = caller;
  if (role === "owner" || role === "program") return client;
  const check = async (name: OperationName, input: Naming): Promise<void> => {
    const named = namesOf(input);
    // Whatever is about no session in particular is about all of them.
    if (named.length === 0 && !ofNoSession.has(name)) throw unseen("session", "");
    for (const [what, id] of named) {
      const found = await sessionsOf(store, what, id);
      if (found.some(({ audience }) => !belongsTo(audience, role))) throw unseen(what, id);
    }
  };
  return {
    call(name, input, signal) {
      const operation = operationNamed.get(name);
      // Whoever may not ask at all hears that, whatever they ask about.
      if (operation === undefined || whyNot(operation, caller) !== undefined)
        return client.call(name, input, signal);
      const checked = check(name, input as Naming);
      checked.catch(() => {}); // told to whoever waits for the answer
      const go = () => client.call(name, input, signal);
      return (
        operation.stream === true ? streamed(checked, go as Follow) : checked.then(go as () => never)
      ) as ReturnType<typeof go>;
    },
  };
}

type Follow = () => AsyncIterable<unknown>;

async function* streamed(checked: Promise<void>, follow: Follow): AsyncGenerator<unknown, void, void> {
  await checked;
  yield* follow();
}

/** What they say about everybody is for everybody, or they look themselves at who asks. */
const ofNoSession: ReadonlySet<OperationName> = new Set([
  "turns.send",
  "chat.command",
  "approvals.answer",
  "inquiries.reply",
  "host.status",
  "tools.list",
]);

/** The ways in which an input says what it is about. */
type Naming = {
  readonly session?: string | { readonly parent?: string };
  readonly inbox?: string;
  readonly again?: string;
  readonly turn?: string;
};

type Named = readonly [what: "session" | "message" | "turn", id: string];

function namesOf({ session, inbox, again, turn }: Naming): readonly Named[] {
  const known = typeof session === "object" ? session.parent : session;
  const named = [
    ["session", known],
    ["message", inbox],
    ["message", again],
    ["turn", turn],
  ] as const;
  return named.flatMap(([what, id]) => (id === undefined ? [] : [[what, id] as const]));
}

/** None: nobody has it, which whatever is asked says itself. */
async function sessionsOf(
  { sessions, inbox, turns }: Sources,
  what: Named[0],
  id: string,
): Promise<readonly Session[]> {
  if (what === "session") return sessions.find(id);
  const of = what === "turn" ? await turns.sessionOf(asId(id)) : (await inbox.get(asId(id)))?.session;
  const session = of && (await sessions.get(of));
  return session === undefined ? [] : [session];
}

const unseen = (what: Named[0], id: string): Refusal =>
  new Refusal("not_found", `There is no ${what} "${id}".`, "Say which of yours is meant.");
