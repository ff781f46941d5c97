/** `1 turn`, `2 turns`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** In UTC, to the minute. */
export const minute = (at: number): string => new Date(at).toISOString().slice(0, 16).replace("T", " ");
