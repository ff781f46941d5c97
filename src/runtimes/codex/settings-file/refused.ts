import { FaultError } from "../../../core/faults.ts";

/** The file is not one that we may change. It is as it was. */
export const refused = (message: string, next: string, cause?: unknown): FaultError =>
  new FaultError({ code: "config", message: `${message} Nothing was changed.`, next }, cause);
