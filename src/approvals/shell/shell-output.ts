import { byName, names } from "../policy/names.ts";
import { mostGrowth } from "./shell-expand.ts";
import { type Invocation, hasOption, operands } from "./shell-invocation.ts";
import { unknown } from "./shell-marks.ts";
import { codePoint } from "./shell-word.ts";

/**
 * What a program would print, for the few programs that disguises are made of. Undefined: nobody can tell without
 * running it. Never used to call anything harmless, only to look at one more text.
 */
export function outputOf(invocation: Invocation): string | undefined {
  const program = programs.get(invocation.name);
  const reads = readsFile.has(invocation.name) && operands(invocation.args).some((file) => file !== "-");
  const output = program?.(
    invocation,
    reads || invocation.args.includes("-in") ? undefined : invocation.stdin,
  );
  return output === undefined || output.includes(unknown) ? undefined : output;
}

/** Given a file, they leave their input alone. */
const readsFile = names("base64 base32 xxd rev tac pv");

type Program = (invocation: Invocation, stdin: string | undefined) => string | undefined;

const programs = byName<Program>({
  echo: ({ args }) => echoed(args),
  printf: ({ args }) => printed(args),
  cat: ({ args }, stdin) => (operands(args).every((file) => file === "-") ? stdin : undefined),
  "tee pv sponge": (_, stdin) => stdin,
  base64: ({ args }, stdin) => (hasOption(args, "dD", "decode") ? decoded(stdin, "base64") : undefined),
  base32: ({ args }, stdin) => (hasOption(args, "dD", "decode") ? fromBase32(stdin) : undefined),
  openssl: ({ args }, stdin) => (args.includes("-d") ? decoded(stdin, "base64") : undefined),
  xxd: ({ args }, stdin) => (hasOption(args, "r", "revert") ? decoded(stdin, "hex") : undefined),
  rev: (_, stdin) => stdin?.split("\n").map(reversed).join("\n"),
  tac: (_, stdin) => stdin?.trimEnd().split("\n").toReversed().join("\n"),
  tr: ({ args }, stdin) => translated(args, stdin),
  sed: ({ args }, stdin) =>
    operands(args).length === 1 ? substituted(operands(args)[0] ?? "", stdin) : undefined,
});

function echoed(args: readonly string[]): string {
  const start = args.findIndex((arg) => !/^-[neE]+$/.test(arg));
  const options = start < 0 ? args : args.slice(0, start);
  const words = start < 0 ? [] : args.slice(start);
  const text = words.join(" ");
  const end = options.some((option) => option.includes("n")) ? "" : "\n";
  return (options.some((option) => option.includes("e")) ? unescaped(text) : text) + end;
}

function printed(args: readonly string[]): string | undefined {
  const [format = "", ...values] = args[0] === "--" ? args.slice(1) : args;
  if (args[0] === "-v") return "";
  const holes = (format.match(/%[-+ 0#]*\d*(?:\.\d+)?[a-zA-Z]/g) ?? []).length;
  const rounds = holes === 0 ? 1 : Math.max(1, Math.ceil(values.length / holes));
  if (rounds * format.length > mostGrowth) return undefined;
  const rest = values.values();
  const fill = (): string =>
    unescaped(format).replace(/%(?:%|[-+ 0#]*\d*(?:\.\d+)?([a-zA-Z]))/g, (hole, kind: string | undefined) => {
      if (kind === undefined) return hole === "%%" ? "%" : hole;
      const value = rest.next().value ?? "";
      return kind === "b" ? unescaped(value) : value;
    });
  return Array.from({ length: rounds }, fill).join("");
}

function unescaped(text: string): string {
  return text.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|0?([0-7]{1,3})|u([0-9a-fA-F]{1,4})|([ntr\\]))/g,
    (...found) => {
      const [, hex, octal, unicode, simple] = found as readonly (string | undefined)[];
      if (simple !== undefined) return { n: "\n", t: "\t", r: "\r" }[simple] ?? "\\";
      if (octal !== undefined) return codePoint(Number.parseInt(octal, 8) & 0xff);
      return codePoint(Number.parseInt(hex ?? unicode ?? "0", 16));
    },
  );
}

const decoded = (text: string | undefined, from: "base64" | "hex"): string | undefined =>
  text === undefined ? undefined : Buffer.from(text.replace(/\s+/g, ""), from).toString("utf8");

function fromBase32(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const bits = [...text.toUpperCase()]
    .map((char) => alphabet.indexOf(char))
    .filter((value) => value >= 0)
    .map((value) => value.toString(2).padStart(5, "0"))
    .join("");
  return (bits.match(/.{8}/g) ?? []).map((byte) => String.fromCharCode(Number.parseInt(byte, 2))).join("");
}

const reversed = (line: string): string => [...line].toReversed().join("");

function translated(args: readonly string[], stdin: string | undefined): string | undefined {
  if (stdin === undefined) return undefined;
  const [from = "", to = ""] = operands(args).map(characters);
  if (hasOption(args, "d", "delete")) return [...stdin].filter((char) => !from.includes(char)).join("");
  if (to === "") return undefined;
  return [...stdin]
    .map((char) => {
      const index = from.lastIndexOf(char);
      return index < 0 ? char : to.charAt(Math.min(index, to.length - 1));
    })
    .join("");
}

/** `a-e` and the few classes with a name. */
function characters(set: string): string {
  const named = unescaped(set)
    .replaceAll("[:lower:]", "a-z")
    .replaceAll("[:upper:]", "A-Z")
    .replaceAll("[:space:]", " \t\n")
    .replaceAll("[:digit:]", "0-9");
  return named.replace(/(.)-(.)/gs, (_, first: string, last: string) => {
    const count = Math.min(last.charCodeAt(0) - first.charCodeAt(0) + 1, 128);
    return count < 1
      ? ""
      : Array.from({ length: count }, (_unused, index) =>
          String.fromCharCode(first.charCodeAt(0) + index),
        ).join("");
  });
}

/** One `s/plain/text/`, with or without `g`. */
function substituted(expression: string, stdin: string | undefined): string | undefined {
  if (expression.length > 200) return undefined;
  const match = /^s(.)([^.*[\]^$\\]*?)\1([^&\\]*?)\1(g?)$/.exec(expression);
  if (match === null || stdin === undefined || match[2] === "") return undefined;
  const [, , from = "", to = "", all] = match;
  if (stdin.length * to.length > mostGrowth) return undefined;
  return all === "g" ? stdin.replaceAll(from, () => to) : stdin.replace(from, () => to);
}
