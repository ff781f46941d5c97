/** As people say it: "enter", "ctrl+c", "alt+enter", "shift+tab". */
export type Key = Plain | `${Chord}+${Plain}`;
type Plain = keyof typeof finals | keyof typeof numbers | keyof typeof codes | Character;
type Chord = Modifier | "ctrl+alt" | "ctrl+shift" | "alt+shift" | "ctrl+alt+shift";
type Modifier = keyof typeof bits;
type Character = Letter | Digit | "/" | "_" | "-" | "]" | "." | "?";
// prettier-ignore
type Letter = "a" | "b" | "c" | "d" | "e" | "f" | "g" | "h" | "i" | "j" | "k" | "l" | "m" | "n" | "o" | "p" | "q" | "r" | "s" | "t" | "u" | "v" | "w" | "x" | "y" | "z";
type Digit = "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9";

const bits = { shift: 1, alt: 2, ctrl: 4 } as const;
const finals = { up: "A", down: "B", right: "C", left: "D", end: "F", home: "H" } as const;
const numbers = { insert: 2, delete: 3, pageup: 5, pagedown: 6, f5: 15, f6: 17, f10: 21, f12: 24 } as const;
const codes = { tab: 9, enter: 13, escape: 27, space: 32, backspace: 127 } as const;

/** What the program has asked of its terminal, as far as it changes what a key sends. */
export type Keyboard = {
  /** Arrows are sent as ESC O. */
  readonly applicationCursor: boolean;
  /** The flags of the kitty keyboard protocol that are in force; 0: the keys of old. */
  readonly kitty: number;
};

/** The bytes that a terminal sends for the key. */
export function bytesOf(key: Key, keyboard: Keyboard): string {
  const parts = key.split("+");
  const plain = parts.at(-1) ?? "";
  const modifiers = parts.slice(0, -1).reduce((sum, name) => sum + (isIn(bits, name) ? bits[name] : 0), 0);
  if (isIn(finals, plain) || isIn(numbers, plain)) return withRelease(movement(plain, modifiers, keyboard));
  if (keyboard.kitty === 0) return ofOld(plain, modifiers);
  return kittyKey(plain, modifiers, keyboard);
}

const isIn = <Names extends object>(names: Names, name: string): name is keyof Names & string =>
  Object.hasOwn(names, name);

type Movement = keyof typeof finals | keyof typeof numbers;
type Sent = { readonly press: string; readonly release: string };

const withRelease = ({ press, release }: Sent): string => press + release;

function movement(plain: Movement, modifiers: number, { applicationCursor, kitty }: Keyboard): Sent {
  const isFinal = isIn(finals, plain);
  const [number, final] = isFinal ? [1, finals[plain]] : [numbers[plain], "~"];
  const changed = `\u001b[${number};${modifiers + 1}`;
  const release = reportsReleases(kitty) ? `${changed}:3${final}` : "";
  if (modifiers > 0) return { press: changed + final, release };
  if (!isFinal) return { press: `\u001b[${number}~`, release };
  return { press: (applicationCursor && kitty === 0 ? "\u001bO" : "\u001b[") + final, release };
}

const reportsReleases = (flags: number): boolean => (flags & 2) !== 0;

/** Only Ctrl, Shift+Tab and Alt as a leading ESC can be told: Shift+Enter is Enter. */
function ofOld(plain: string, modifiers: number): string {
  const has = (name: Modifier): boolean => (modifiers & bits[name]) !== 0;
  const escape = has("alt") ? "\u001b" : "";
  if (plain === "tab" && has("shift")) return `${escape}\u001b[Z`;
  if (plain === "backspace" && has("ctrl")) return `${escape}\b`;
  const character = isIn(codes, plain) ? String.fromCharCode(codes[plain]) : plain;
  if (has("ctrl")) return escape + controlled(character);
  return escape + (has("shift") ? character.toUpperCase() : character);
}

/** The lowest five bits; terminals send Ctrl+/ as Ctrl+_. Enter, Tab and Escape are controlled already. */
function controlled(character: string): string {
  if (character === "/" || character === "-") return "\u001f";
  return String.fromCharCode(character.toUpperCase().charCodeAt(0) & 0x1f);
}

/** What writes text stays text. Everything else is named by number, and what is named is released too. */
function kittyKey(plain: string, modifiers: number, { kitty }: Keyboard): string {
  const code = isIn(codes, plain) ? codes[plain] : plain.charCodeAt(0);
  const writes = (modifiers & ~bits.shift) === 0 && plain !== "escape";
  if (writes && (modifiers === 0 || !isIn(codes, plain))) return ofOld(plain, modifiers);
  const changed = modifiers === 0 ? `\u001b[${code}` : `\u001b[${code};${modifiers + 1}`;
  return `${changed}u${reportsReleases(kitty) ? `\u001b[${code};${modifiers + 1}:3u` : ""}`;
}
