import { fieldsOf, numberIn, textIn } from "./fields.ts";

/** Codex's own name for a failure, and the HTTP status behind it where there was one. */
export type ErrorInfo = { readonly kind: string; readonly httpStatus?: number };

/** Why a turn failed, or is being tried again. */
export type TurnError = {
  readonly message: string;
  readonly details: string;
  readonly info?: ErrorInfo;
};

/** From `turn.error` or the `error` of an error notification. `undefined`: nothing went wrong. */
export function readTurnError(value: unknown): TurnError | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === "string") return { message: value, details: "" };
  const fields = fieldsOf(value);
  const info = readErrorInfo(fields["codexErrorInfo"]);
  return {
    message: textIn(fields, "message") ?? "",
    details: textIn(fields, "additionalDetails") ?? "",
    ...(info === undefined ? {} : { info }),
  };
}

/** Either a bare name, or an object whose only key is the name. */
function readErrorInfo(value: unknown): ErrorInfo | undefined {
  if (typeof value === "string" && value !== "") return { kind: value };
  const [entry] = Object.entries(fieldsOf(value));
  if (entry === undefined) return undefined;
  const httpStatus = numberIn(fieldsOf(entry[1]), "httpStatusCode");
  return { kind: entry[0], ...(httpStatus === undefined ? {} : { httpStatus }) };
}

/** The kinds that say: the connection to the model failed or broke. */
export const isConnectionInfo = (info: ErrorInfo | undefined): boolean =>
  info !== undefined && connectionKinds.has(info.kind);

const connectionKinds: ReadonlySet<string> = new Set([
  "httpConnectionFailed",
  "responseStreamConnectionFailed",
  "responseStreamDisconnected",
  "responseTooManyFailedAttempts",
]);
