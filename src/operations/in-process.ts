import type { Principal } from "../core/principal.ts";
import type { Calls, Client, Handlers, InputOf, OperationName } from "../core/calls.ts";
import { Refusal } from "../core/host.ts";
import type { Operation, Scope } from "./operation.ts";
import { operationNamed } from "./table.ts";

/** Who asks. `scopes`: what their key allows; without a key, all that their role may. */
export type Caller = Principal & { readonly scopes?: readonly Scope[] };

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
      const refused = operation?.stream === true ? failing(refusal) : Promise.reject(refusal);
      return refused as ReturnType<Calls[typeof name]>;
    },
  };
}

type Handler<Name extends OperationName> = (
  input: InputOf<Name>,
  caller: Principal,
  signal: AbortSignal | undefined,
) => ReturnType<Calls[Name]>;

/** Why this caller may not. The table names everybody who may: whoever it does not name is refused. */
export function whyNot({ name, who, local, scope }: Operation, caller: Caller): Refusal | undefined {
  if (!who.some((role) => role === caller.role))
    return new Refusal("refused", `${name} is for ${listed(who)} only.`, "Ask the owner of this Talaria.");
  if (local === true && !caller.local)
    return new Refusal("refused", `${name} works at the machine itself only.`, "Do it there, in a terminal.");
  if (caller.scopes !== undefined && !caller.scopes.includes(scope))
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

/** A stream that says no. */
async function* failing(refusal: Refusal): AsyncGenerator<never, void, void> {
  yield* await Promise.reject<readonly never[]>(refusal);
}
