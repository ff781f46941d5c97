export const fullSize = { randomKills: 120, everyStatement: 1, mutantFrom: 1 };
/** For `npm test`. */
export const quickSize = { randomKills: 3, everyStatement: 90, mutantFrom: 20 };
