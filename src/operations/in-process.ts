import type { Calls, Client, Handlers, InputOf, OperationName } from "../core/calls.ts";
import { Refusal } from "../core/host.ts";
import type { Caller } from "../core/principal.ts";
import type { Operation } from "./operation.ts";
import { operationNamed } from "./table.ts";

/** A client in the process of the host: what is asked is checked against the table, and nothing is copied. */
export function inProcess<Some extends OperationName>(
  handlers: Handlers<Some>,
  caller: Caller,
): Client<Some> {
  return {
    call(name, input, signal) {
      const operation = operationNamed.get(name);
      const refusal = operation === undefined ? noSuchOperation(name) : whyNot(operation, caller);
      if (refusal === undefined) return (handlers[name] as Handler<typeof name>)(input, caller, signal);
      return refusing(name, refusal);
    },
  };
}

type Handler<Name extends OperationName> = (
  input: InputOf<Name>,
  caller: Caller,
  signal: AbortSignal | undefined,
) => ReturnType<Calls[Name]>;

/** Why this caller may not. The table names everybody who may: whoever it does not name is refused. */
export function whyNot({ name, who, local, scope }: Operation, caller: Caller): Refusal | undefined {
  if (!who.some((role) => role === caller.role))
    return new Refusal("refused", `${name} is for ${listed(who)} only.`, "Ask the owner of this Talaria.");
  if (local === true && !caller.local)
    return new Refusal("refused", `${name} works at the machine itself only.`, "Do it there, in a terminal.");
  // To decide for the owner is given with a key, and comes with no role.
  const needsKey = caller.role === "program" && scope === "approve";
  if (!(caller.scopes?.includes(scope) ?? !needsKey))
    return new Refusal("refused", `${name} needs a key with the scope ${scope}.`, "Use another key.");
  return undefined;
}

export const noSuchOperation = (name: string): Refusal =>
  new Refusal(
    "not_found",
    `There is no operation "${name.slice(0, 60)}".`,
    "docs/user/operations.md has them.",
  );

const listed = (who: readonly string[]): string =>
  who.map((role) => (role === "owner" ? "the owner" : `${role}s`)).join(" and ");

/** What a call answers that is refused: an answer or a stream that says no. */
export function refusing<Name extends OperationName>(name: Name, refusal: Refusal): ReturnType<Calls[Name]> {
  const refused = operationNamed.get(name)?.stream === true ? failing(refusal) : Promise.reject(refusal);
  return refused as ReturnType<Calls[Name]>;
}

async function* failing(refusal: Refusal): AsyncGenerator<never, void, void> {
  yield* await Promise.reject<readonly never[]>(refusal);
}
