/** Minutes since midnight, from a time of day to another one, which may be that of the next day. */
export type TimeSpan = { readonly from: number; readonly to: number };

const written = /^([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)$/;

/** `22:00-07:00`; from a time to the same one is no span. */
export function isTimeSpan(text: string): boolean {
  if (!written.test(text)) return false;
  const { from, to } = timeSpan(text);
  return from !== to;
}

export function timeSpan(text: string): TimeSpan {
  const [, ...numbers] = written.exec(text) ?? [];
  const [fromHour = 0, fromMinute = 0, toHour = 0, toMinute = 0] = numbers.map(Number);
  return { from: fromHour * 60 + fromMinute, to: toHour * 60 + toMinute };
}
