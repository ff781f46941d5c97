import { toFailure } from "../../core/failure.ts";

/** Why something was not done, as the reply to a command. */
export function errorText(error: unknown): string {
  const { message, next } = toFailure(error);
  return `${message} ${next}`;
}
