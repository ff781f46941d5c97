/** `waysEach`: by how many ways each text arrives on the loop. `codex`: every n-th text there. `twin`: every n-th against the broken guard. */
export type Size = { readonly waysEach: number; readonly codex: number; readonly twin: number };

export const fullSize: Size = { waysEach: 5, codex: 6, twin: 2 };
/** For `npm test`. */
export const quickSize: Size = { waysEach: 1, codex: 60, twin: 12 };
