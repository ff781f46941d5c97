/** Discord's ids: numbers that begin with the time (docs: reference, "Snowflakes"). */
export const isSnowflake = (value: unknown): value is string =>
  typeof value === "string" && /^\d{1,20}$/.test(value);

/** Ids as text of equal length, which sorts as the numbers do. */
export const orderOf = (id: string): string => id.padStart(20, "0");

export const timeOf = (id: string): number => Number(BigInt(id) >> 22n) + epochMs;

/** The first id of that time. */
export const idAt = (ms: number): string => String(BigInt(Math.max(0, Math.floor(ms) - epochMs)) << 22n);

/** An id that is so much older. */
export function earlier(id: string, ms: number): string {
  const moved = BigInt(id) - (BigInt(ms) << 22n);
  return String(moved < 0n ? 0n : moved);
}

export const later = (a: string, b: string): string => (orderOf(a) > orderOf(b) ? a : b);

const epochMs = 1_420_070_400_000;
