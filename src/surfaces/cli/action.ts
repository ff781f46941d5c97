import type { Client } from "../../core/calls.ts";
import { usage } from "./failure.ts";
import type { CliPorts, ExitCode } from "./ports.ts";

/** What was typed behind a command. */
export type Typed = {
  readonly words: readonly string[];
  readonly options: Options;
  readonly ports: CliPorts;
};

/** Options as they were typed; what may be missing is missing. */
export type Options = {
  readonly profile?: string;
  readonly json?: boolean;
  readonly [name: string]: string | boolean | readonly string[] | undefined;
};

/** What a command says: `text` to people, `rows` to a program that asked for JSON lines, `lines` to both as they come. */
export type Output = {
  readonly text?: string;
  readonly rows?: readonly object[];
  readonly lines?: AsyncIterable<string>;
  /** For people, beside the text. */
  readonly warnings?: readonly string[];
  /** 0 unless said. */
  readonly code?: ExitCode;
};

/** A command that asks a host for something, runs no turn, and says what came of it. */
export type Action = (client: Client, typed: Typed) => Promise<Output>;

/** By the second word of a command, or `""`. */
export type Actions = Readonly<Record<string, Action>>;

export async function runAction(
  ports: CliPorts,
  typed: Typed,
  client: Client,
  act: Action,
): Promise<ExitCode> {
  const { text, rows, lines, warnings = [], code = 0 } = await act(client, typed);
  const write = (line: string): void => void ports.stdout.write(`${line}\n`);
  if (lines !== undefined) for await (const line of lines) write(line);
  if (typed.options.json === true && rows !== undefined) {
    for (const row of rows) write(JSON.stringify(row));
    return code;
  }
  for (const warning of warnings) ports.stderr.write(`talaria: warning: ${warning}\n`);
  if (text !== undefined) write(text);
  return code;
}

/** An option as text; undefined: it was not said. */
export const textOf = (value: Options[string]): string | undefined =>
  typeof value === "string" ? value : undefined;

/** `--limit`, as a whole number above 0. */
export function limitOf({ limit }: Options, otherwise: number, most = Number.MAX_SAFE_INTEGER): number {
  return limit === undefined ? otherwise : Math.min(wholeNumber("--limit", String(limit)), most);
}

/** Above 0. */
export function wholeNumber(option: string, typed: string): number {
  const number = Number(typed);
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw usage(`${option} ${typed}: not a whole number above 0.`);
}
