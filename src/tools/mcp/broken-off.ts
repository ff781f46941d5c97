/** Stands for an answer that cannot come any more. In the range that JSON-RPC leaves to programs. */
export const brokenOff = -32_090;
