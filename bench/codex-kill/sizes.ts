/** How many cuts of each kind; `"every"`: after each frame. */
export type Size = {
  readonly real: number | "every";
  readonly fake: number | "every";
  readonly ours: number | "every";
};

export const fullSize: Size = { real: "every", fake: "every", ours: "every" };
/** For `npm test`. */
export const quickSize: Size = { real: 3, fake: 4, ours: 2 };
