import { FaultError, faultCodes } from "../../core/faults.ts";
import { type Failure, toFailure } from "../../core/failure.ts";
import { Refusal } from "../../core/host.ts";
import { fieldsOf } from "../../core/json.ts";

// What goes over the socket, in the dialect of lib/rpc. Before `hello` was answered only `release` and `version` are.
//
//   hello    {protocol, schema, token, surface, terminal} → Welcome
//   version  {} → {protocol, schema, version}
//   release  {session} → whether the session is free for another process now. This one never changes.
//   status   {} → ServeStatus
//   call     {call, name, input} → what the operation gives      cancel {call}
//   open     {stream, name, input, left}    credit {stream, more}    stop {stream}    leave {stream}
//   and back: next {stream, number, value}    end {stream, failure?}
//   tools    {session, cwd, local, worker, task, only} → null; then offered {client} → what there is, and
//   tool     {call, client, name, args, progress} → {ok, output}        cancel {call}
//   and back: progress {call, text}    permit {question, approval} → a choice    inform {question, inquiry} → answers
//             closed {question}
//
// Whatever is refused comes back as an error with the code below, and the failure as its data.

export const protocolVersion = 2;

/** Of the store. A client that knows a newer one would have to upgrade it under the host; one test holds it to the steps. */
export const schemaVersion = 28;

export type Hello = {
  readonly protocol: number;
  readonly schema: number;
  readonly token: string;
  readonly surface: string;
  /** What commands of attended turns may see of the caller's terminal. */
  readonly terminal: Readonly<Record<string, string>>;
};

/** `cursor`: of all sessions, before anything was asked over this connection. `stopping`: it takes no more work. */
export type Welcome = { readonly version: string; readonly cursor: string; readonly stopping?: boolean };

/** How many values of a stream may be on their way. */
export const streamCredit = 64;

/** What is sent after it waits until the other end has shown it, and has given all its room back. */
export const wantsReceipt = (value: unknown): boolean => fieldsOf(value)["receipt"] === true;

/** The code of an answer that says no, in a way that people understand. */
export const failureCode = 1;

export type WireFailure = Failure & { readonly kind: "refusal" | "fault" };

/** What went wrong, as it crosses. */
export const wireFailure = (error: unknown): WireFailure => ({
  kind: error instanceof Refusal ? "refusal" : "fault",
  ...toFailure(error),
});

/** As the same class that it was before it crossed. */
export function failureError({ kind, code, message, next }: WireFailure): Refusal | FaultError {
  const known = faultCodes.find((one) => one === code);
  if (kind === "fault") return new FaultError({ code: known ?? "bug", message, next });
  const refused = (["busy", "usage", "not_found", "stopping"] as const).find((one) => one === code);
  return new Refusal(refused ?? known ?? "refused", message, next);
}

export function isWireFailure(value: unknown): value is WireFailure {
  if (typeof value !== "object" || value === null) return false;
  const { kind, code, message, next } = value as Partial<WireFailure>;
  return (
    (kind === "refusal" || kind === "fault") &&
    [code, message, next].every((text) => typeof text === "string")
  );
}
