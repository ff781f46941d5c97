/**
 * Text that every database takes and gives back alike. Half surrogates are no characters, and a NUL ends a text for
 * search (SQLite) or is refused (PostgreSQL): both become U+FFFD.
 */
export const storable = (text: string): string => text.toWellFormed().replaceAll("\0", "\ufffd");

/** Every number column is whole; a clock may say fractions of a millisecond. */
export const whole = (number: number): number => Math.trunc(number);
