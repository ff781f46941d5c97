import type { Client, OperationName } from "../../core/calls.ts";
import { Refusal } from "../../core/host.ts";
import { type Principal, belongsTo } from "../../core/principal.ts";
import { whyNot } from "../../operations/in-process.ts";
import { operationNamed } from "../../operations/table.ts";
import type { Store } from "../../store/store.ts";

/** Members and guests reach only sessions that are held with people like them; of others they hear that there is none. */
export function ownSessions(
  client: Client,
  caller: Principal,
  { sessions }: Pick<Store, "sessions">,
): Client {
  const { role } = caller;
  if (role === "owner" || role === "program") return client;
  const check = async (name: OperationName, input: object): Promise<void> => {
    const session: unknown = "session" in input ? input.session : undefined;
    if (name === "tasks.list" && session === undefined) throw unseen("");
    if (typeof session !== "string") return;
    const found = await sessions.find(session);
    if (found.some(({ audience }) => !belongsTo(audience, role))) throw unseen(session);
  };
  return {
    call(name, input, signal) {
      const operation = operationNamed.get(name);
      // Whoever may not ask at all hears that, whatever they ask about.
      if (operation === undefined || whyNot(operation, caller) !== undefined)
        return client.call(name, input, signal);
      const checked = check(name, input);
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

const unseen = (session: string): Refusal =>
  new Refusal("not_found", `There is no session "${session}".`, "Say which of yours is meant.");
