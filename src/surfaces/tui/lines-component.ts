import type { Component } from "./toolkit.ts";

/** A part of the screen that is worked out anew with every frame. */
export const linesOf = (lines: (width: number) => readonly string[]): Component => ({
  render: (width) => [...lines(width)],
  invalidate: () => {},
});
