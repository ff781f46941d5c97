export type Size = { readonly interleavings: number; readonly mutantInterleavings: number };

export const fullSize: Size = { interleavings: 30_000, mutantInterleavings: 1_000 };
/** For `npm test`. */
export const quickSize: Size = { interleavings: 400, mutantInterleavings: 120 };
