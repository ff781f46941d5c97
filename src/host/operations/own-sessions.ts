import type { Client, OperationName } from "../../core/calls.ts";
import { Refusal } from "../../core/host.ts";
import { asId } from "../../core/ids.ts";
import { type Caller, belongsTo, isSamePerson } from "../../core/principal.ts";
import type { InputKey, Session } from "../../core/session.ts";
import { whyNot } from "../../operations/in-process.ts";
import type { Operation } from "../../operations/operation.ts";
import { operationNamed } from "../../operations/table.ts";
import type { Store } from "../../store/store.ts";

type Sources = Pick<Store, "sessions" | "inbox" | "turns">;

/**
 * Whoever is not the owner reaches only sessions in which they have said something themselves; of others they hear that
 * there is none. To know the id of one is not enough.
 */
export function ownSessions(client: Client, caller: Caller, store: Sources): Client {
  if (caller.role === "owner") return client;
  const check = async (operation: Operation, input: Naming): Promise<void> => {
    const named = namesOf(input);
    // Whatever is about no session in particular is about all of them.
    if (named.length === 0 && operation.anywhere !== true) throw unnamed();
    for (const one of named)
      if (!(await reaches(store, caller, one, operation.name as OperationName, input))) throw unseen(one);
  };
  return {
    call(name, input, signal) {
      const operation = operationNamed.get(name);
      // Whoever may not ask at all hears that, whatever they ask about.
      if (operation === undefined || whyNot(operation, caller) !== undefined)
        return client.call(name, input, signal);
      const checked = check(operation, input as Naming);
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

/** The ways in which an input says what it is about. */
type Naming = {
  readonly session?: string | { readonly id: string };
  readonly of?: "all" | { readonly session: string };
  readonly inbox?: string;
  readonly again?: string;
  readonly turn?: string;
  readonly key?: Partial<InputKey>;
};

type Named = readonly [what: "session" | "message" | "turn", id: string];

function namesOf({ session, of, inbox, again, turn }: Naming): readonly Named[] {
  const named = [
    ["session", typeof session === "object" ? session.id : session],
    ["session", typeof of === "object" ? of.session : undefined],
    ["message", inbox],
    ["message", again],
    ["turn", turn],
  ] as const;
  return named.flatMap(([what, id]) => (id === undefined ? [] : [[what, id] as const]));
}

/** What nobody has can be asked about: whatever is asked says itself that there is none. */
async function reaches(
  store: Sources,
  caller: Caller,
  [what, id]: Named,
  name: OperationName,
  { key }: Naming,
): Promise<boolean> {
  const changesMessage = what === "message" && ["inputs.drop", "inputs.delete", "turns.send"].includes(name);
  if (changesMessage) {
    const row = await store.inbox.get(asId(id));
    if (row !== undefined && !isSamePerson(row.from, caller)) return false;
  }
  for (const { id: session, audience } of await sessionsOf(store, what, id)) {
    if (!belongsTo(audience, caller.role)) return false;
    if ((await store.inbox.saidIn(session, caller)).own) continue;
    // In a group, somebody's first words come into a session that others have begun. Of a program nobody vouches for its chat.
    const { account = "", chat = "" } = key ?? {};
    const isTheirChat =
      name === "turns.send" &&
      caller.role !== "program" &&
      (await store.inbox.isOfChat(session, { surface: caller.surface, account, chat }));
    if (!isTheirChat) return false;
  }
  return true;
}

async function sessionsOf(
  { sessions, inbox, turns }: Sources,
  what: Named[0],
  id: string,
): Promise<readonly Session[]> {
  if (what === "session") return sessions.find(id);
  const of = what === "turn" ? (await turns.get(asId(id)))?.session : (await inbox.get(asId(id)))?.session;
  const session = of && (await sessions.get(of));
  return session === undefined ? [] : [session];
}

const unseen = ([what, id]: Named): Refusal =>
  new Refusal("not_found", `There is no ${what} "${id}".`, "Say which of yours is meant.");

const unnamed = (): Refusal =>
  new Refusal("not_found", "There is no session named.", "Say which of yours is meant.");
