/** Marks codex and everything it starts, so that nothing of it is left behind. */
export const childVariable = "TALARIA_CHILD";
