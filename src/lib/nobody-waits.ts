/** For `abort`, where nobody looks at the reason. Without one, every abort makes an exception with its own stack. */
export const nobodyWaits = new Error("Nobody waits for this any more.");
