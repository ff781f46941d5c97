import type { Runtime } from "./script.ts";

/** On each runtime every n-th script. */
export type Size = Readonly<Record<Runtime, number>>;

export const fullSize: Size = { loop: 1, codex: 1 };
/** For `npm test`. */
export const quickSize: Size = { loop: 5, codex: 16 };
