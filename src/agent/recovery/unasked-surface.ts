/** Where the input of a turn comes from that a runtime began by itself. */
export const unaskedSurface = "codex";
