import type { WriteStream } from "node:tty";
import { wrapped } from "../../../core/text/text-width.ts";
import type { CliPorts } from "../ports.ts";

/** The person pressed Ctrl+C or Escape at a question. */
export class Cancelled extends Error {}

export type Option = { readonly value: string; readonly label: string; readonly hint?: string };

/** Questions and remarks on the terminal. Each question throws `Cancelled` when the person cancels. */
export type Asker = {
  begin(title: string): void;
  tell(text: string): void;
  warn(text: string): void;
  end(text: string): void;
  /** `first`: the value that is chosen already. */
  select(question: string, options: readonly Option[], first?: string): Promise<string>;
  /** By typing a part of it, where there are many. */
  find(question: string, options: readonly Option[]): Promise<string>;
  text(question: string, how: TextQuestion): Promise<string>;
  secret(question: string, how: Pick<TextQuestion, "check">): Promise<string>;
};

export type TextQuestion = {
  readonly example?: string;
  /** Taken when nothing is typed. */
  readonly fallback?: string;
  /** Why it cannot be taken. */
  readonly check?: (typed: string) => string | undefined;
};

/** Loads what draws the questions: nobody else pays for it. */
export async function asker({ stdin: input, stdout: output }: CliPorts): Promise<Asker> {
  const clack = await import("@clack/prompts");
  const io = { input, output };
  const room = (): number => Math.max(20, ((output as Partial<WriteStream>).columns ?? 80) - margin);
  return {
    begin: (title) => clack.intro(title, io),
    tell: (text) => clack.log.message(wrapped(text, room()), io),
    warn: (text) => clack.log.warn(wrapped(text, room()), io),
    end: (text) => clack.outro(text, io),
    select: async (message, options, first) =>
      answered(
        await clack.select({
          ...io,
          message,
          options: [...options],
          ...(first === undefined ? {} : { initialValue: first }),
        }),
      ),
    find: async (message, options) =>
      answered(await clack.autocomplete({ ...io, message, options: [...options], maxItems: 10 })),
    text: async (message, { example, fallback, check }) =>
      answered(
        await clack.text({
          ...io,
          message,
          ...(example === undefined ? {} : { placeholder: example }),
          ...(fallback === undefined ? {} : { defaultValue: fallback }),
          ...(check === undefined ? {} : { validate: (typed) => check(typed ?? "") }),
        }),
      ).trim(),
    secret: async (message, { check }) =>
      answered(
        await clack.password({
          ...io,
          message,
          ...(check === undefined ? {} : { validate: (typed) => check(typed ?? "") }),
        }),
      ).trim(),
  };
}

/** What stands before each line, and a column that stays free. */
const margin = 4;

/** Clack answers with a symbol when the person cancels. */
function answered(value: string | symbol): string {
  if (typeof value === "string") return value;
  throw new Cancelled();
}
