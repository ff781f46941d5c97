/** A title or a few words as a service gives them, with marks of HTML in them or without, on one line. */
export const plainText = (html: string): string =>
  html
    .replaceAll(/<\/?[a-z][^<>]{0,200}>/gi, "")
    .replaceAll(
      /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,6}));/gi,
      (whole, decimal, hex, name) => character(decimal, hex, name) ?? whole,
    )
    .replaceAll(/\s+/g, " ")
    .trim();

function character(decimal?: string, hex?: string, name?: string): string | undefined {
  if (name !== undefined) return named[name.toLowerCase()];
  const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
  return code > 31 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : undefined;
}

const named: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
};
