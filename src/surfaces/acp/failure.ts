import { RequestError } from "@agentclientprotocol/sdk";
import { toFailure } from "../../core/failure.ts";

/** As an editor shows it: all in the message, because what stands beside it is shown raw or not at all. */
export function requestError(error: unknown): RequestError {
  if (error instanceof RequestError) return error;
  const { code, message, next } = toFailure(error);
  const sentence = /[.!?]$/.test(message) ? message : `${message}.`;
  return new RequestError(codes.get(code) ?? internal, `${sentence} ${next}`);
}

const internal = -32_603;

/** Not -32000 for a lack of login: it would open a dialogue of the editor that has nothing to offer. */
const codes: ReadonlyMap<string, number> = new Map([
  ["usage", -32_602],
  ["config", -32_602],
  ["not_found", -32_002],
]);
