import type { FaultCode } from "../core/faults.ts";
import type { ProviderError } from "./error-body.ts";
import type { Trouble } from "./model.ts";

/** Whether what a provider said about itself may be different the next time. */
export function providerTrouble(
  code: FaultCode,
  error: ProviderError,
  status: number | undefined,
): Trouble | undefined {
  if (isAboutSealed(error)) return "sealed";
  if (code === "rate_limited") return "busy";
  if (code === "overloaded" || status === 408) return "down";
  return undefined;
}

/** There is no common word for it: one provider has a code, others only a sentence about what could not be decrypted. */
const isAboutSealed = ({ code, message, param }: ProviderError): boolean =>
  /encrypted/i.test(`${code} ${param}`) ||
  /encrypted[ _](?:content|reasoning)|reasoning\b.*\bdecrypt|decrypt\w*\b.*\breasoning/i.test(message);

/** Whether asking again may help when it is the answer that was no good. */
export const answerTrouble: Readonly<Record<string, Trouble>> = {
  unreached: "down",
  cut: "broken",
  unreadable: "broken",
  half_call: "broken",
  empty: "empty",
};
