/** A whole number from 1 to `most`, the usual one when nothing was written, or undefined when it is no such number. */
export function numberWord(arg: string, usual: number, most: number): number | undefined {
  if (arg === "") return usual;
  const number = /^\d{1,9}$/.test(arg) ? Number(arg) : 0;
  return number >= 1 && number <= most ? number : undefined;
}
