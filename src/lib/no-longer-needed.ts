/** A shared reason for `abort` where nobody reads it: without one, every abort builds an exception with a stack. */
export const noLongerNeeded = new Error("Nobody waits for this any more.");
