/**
 * Does a text hold characters that a reader cannot see or takes for others? Line breaks and tabs are fine, and so is
 * any word written in one script.
 */
export function hidesText(text: string): boolean {
  return unseen.test(text) || mixed(text);
}

const unseen =
  /[\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u00a0\u2000-\u200a\u3000]|[^\P{Cc}\n\t]/u;

/** Latin letters side by side with letters that look like them, or letters in the dress of others. */
function mixed(text: string): boolean {
  if (!/[^\0-\x7f]/.test(text)) return false;
  for (const [word] of text.matchAll(/[\p{L}\p{M}\p{N}_]+/gu)) {
    if (
      /[A-Za-z]/.test(word) &&
      /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u.test(word)
    ) {
      return true;
    }
    if (Array.from(word).some(isDisguised) || /[\w]\p{M}/u.test(word.normalize("NFC"))) return true;
  }
  return /[\uff01-\uff5e\u2044\u2215\u29f8\u02d7\u2010-\u2012\u2212]/.test(text);
}

/** Letters of mathematics, full width, Roman numerals and the like: they read as ASCII and are not. */
const isDisguised = (char: string): boolean =>
  char > "\x7f" && /^[\p{L}\p{Nl}]$/u.test(char) && /^[\0-\x7f]+$/.test(char.normalize("NFKC"));
