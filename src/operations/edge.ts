import type { Client, OperationName } from "../core/calls.ts";
import { Refusal } from "../core/host.ts";
import { closestIssue } from "./closest-issue.ts";
import { noSuchOperation } from "./in-process.ts";
import { operationNamed } from "./table.ts";

/**
 * A client for whoever sends names and values that nobody has looked at: a socket's other end, a request. The input is
 * parsed here, once; who may call it is checked behind it, like every call.
 */
export type Edge = {
  /** Rejects with a Refusal `not_found` or `usage`, or with what the operation itself rejects. */
  ask(name: string, input: unknown, signal?: AbortSignal): Promise<unknown>;
  stream(name: string, input: unknown, signal?: AbortSignal): AsyncIterable<unknown>;
  /** The same, begun when this resolves: what is wrong with the name or the input rejects it. */
  open(name: string, input: unknown, signal?: AbortSignal): Promise<AsyncIterable<unknown>>;
};

export const edge = (client: Client): Edge => ({
  async open(name, input, signal) {
    const [known, parsed] = await parse(name, input, true);
    return client.call(known, parsed as never, signal) as AsyncIterable<unknown>;
  },
  async ask(name, input, signal) {
    const [known, parsed] = await parse(name, input, false);
    return await client.call(known, parsed as never, signal);
  },
  async *stream(name, input, signal) {
    const [known, parsed] = await parse(name, input, true);
    yield* client.call(known, parsed as never, signal) as AsyncIterable<unknown>;
  },
});

async function parse(name: string, input: unknown, asStream: boolean): Promise<[OperationName, unknown]> {
  const operation = operationNamed.get(name);
  if (operation === undefined || operation.at !== undefined) throw noSuchOperation(name);
  if ((operation.stream === true) !== asStream)
    throw new Refusal(
      "usage",
      `${name} is ${asStream ? "no stream" : "a stream"}.`,
      asStream ? "Ask for it." : "Follow it.",
    );
  const { inputs } = await import("./schemas.ts");
  const known = name as OperationName;
  const parsed = inputs[known].safeParse(input);
  if (parsed.success) return [known, parsed.data];
  const [issue] = parsed.error.issues;
  const first = issue && closestIssue(issue);
  const where = first?.path.join(".") ?? "";
  throw new Refusal(
    "usage",
    `${name} does not take that: ${where === "" ? "" : `${where}: `}${first?.message ?? "it has another form"}.`,
    "docs/user/operations.md has what there is.",
  );
}
