/** How long a claim lasts unless its holder is heard of, and how often it is. */
export const claimMs = 5 * 60_000;
export const beatMs = 60_000;
