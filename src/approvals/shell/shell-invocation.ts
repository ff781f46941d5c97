import type { Field } from "./shell-expand.ts";
import { unknown } from "./shell-marks.ts";

/** One program that a command would start, however deep it was hidden. */
export type Invocation = {
  /** The last part of the program's path in small letters; `""` when only redirects are left. */
  readonly name: string;
  /** The program first. */
  readonly fields: readonly Field[];
  /** Without the program. */
  readonly args: readonly string[];
  /** Variables set for this program alone, or from here on when there is no program. */
  readonly assigns: ReadonlyMap<string, string>;
  readonly redirects: readonly { readonly op: string; readonly target: Field }[];
  /** What it reads, where that can be told. */
  readonly stdin: string | undefined;
  /** It reads what other programs or a here-document give it. */
  readonly fed: boolean;
  /** Where it runs; undefined after a `cd` to somewhere unknown. */
  readonly cwd: string | undefined;
  /** The functions it is part of, and whether it runs beside others. */
  readonly inside: readonly string[];
  readonly parallel: boolean;
};

export function nameOf(field: Field | undefined): string {
  const text = (field?.text ?? "").replaceAll(unknown, "");
  return text
    .slice(text.lastIndexOf("/") + 1)
    .toLowerCase()
    .replace(/\.exe$/, "");
}

/** The invocation with another program in it, as `sudo rm` has `rm`. */
export function withFields(outer: Invocation, fields: readonly Field[]): Invocation {
  return { ...outer, name: nameOf(fields[0]), fields, args: fields.slice(1).map((field) => field.text) };
}

export const literalField = (text: string): Field => ({ text, glob: false, computed: false });

export const isUnknown = (text: string): boolean => text.includes(unknown);

/** One of the short options, alone or in a cluster, or a long one, which may be cut short. */
export function hasOption(args: readonly string[], short: string, ...long: readonly string[]): boolean {
  return args.some((arg) => {
    if (arg.startsWith("--")) return arg.length > 2 && long.some((name) => isAbbreviation(arg, name));
    return /^-[A-Za-z0-9]/.test(arg) && [...short].some((char) => arg.includes(char));
  });
}

export function isAbbreviation(arg: string, name: string): boolean {
  const [given = ""] = arg.slice(2).split("=");
  return given.length > 0 && name.startsWith(given);
}

/** The value of an option: `-o v`, `-ov`, `--out v`, `--out=v`, also with one dash. */
export function optionValues(args: readonly string[], ...names: readonly string[]): readonly string[] {
  return args.flatMap((arg, index) => {
    const name = names.find((option) => arg === option || isLongAbbreviation(arg, option));
    if (name !== undefined)
      return arg.includes("=") ? [arg.slice(arg.indexOf("=") + 1)] : [args[index + 1] ?? ""];
    const attached = names.find(
      (option) => option.length === 2 && arg.startsWith(option) && !arg.startsWith("--"),
    );
    return attached === undefined ? [] : [arg.slice(2).replace(/^=/, "")];
  });
}

const isLongAbbreviation = (arg: string, option: string): boolean =>
  option.startsWith("--") && arg.startsWith("--") && arg.length > 4 && isAbbreviation(arg, option.slice(2));

/** What is no option. */
export function operands(args: readonly string[]): readonly string[] {
  const end = args.indexOf("--");
  const before = end < 0 ? args : args.slice(0, end);
  return [...before.filter((arg) => !/^-./.test(arg)), ...(end < 0 ? [] : args.slice(end + 1))];
}

/** As it would be typed, for the deny list. */
export const typed = (invocation: Invocation): string =>
  invocation.fields.map((field) => field.text.replaceAll(unknown, "")).join(" ");
