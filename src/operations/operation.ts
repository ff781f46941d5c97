import type { Role, Scope } from "../core/principal.ts";

/**
 * Something that can be asked of Talaria: plain data, so that help, completion and pages cost nothing. Its input and result
 * are in core/calls.ts, their schemas in schemas/, and what does it is in the host.
 */
export type Operation = {
  readonly name: string;
  /** Nobody else: there is no default. */
  readonly who: readonly Role[];
  /** Only at this machine. */
  readonly local?: true;
  /**
   * Also where a caller other than the owner has said nothing: it is about no session, or looks itself at who asks. All
   * else they may ask only of sessions in which they have said something.
   */
  readonly anywhere?: true;
  readonly scope: Scope;
  readonly help: string;
  /** It says one thing after the other until it ends. */
  readonly stream?: true;
  /** Not asked of a host: it is the chat's own state (`chat`), or a program at the terminal (`shell`). */
  readonly at?: "chat" | "shell";
  readonly cli?: CliGrammar | readonly CliGrammar[];
  readonly slash?: SlashGrammar | readonly SlashGrammar[];
};

/** How it is typed in a shell. */
export type CliGrammar = {
  /** Behind `talaria`, arguments included. */
  readonly usage: string;
  /** Unless `help` is said there, too. */
  readonly help?: string;
  /** What its only argument is, where the usage does not say it all. */
  readonly argument?: string;
  readonly options?: Readonly<Record<string, string>>;
  /** What `--json` gives. `true`: JSON lines. */
  readonly json?: true | string;
  /** What the first word alone does, too. */
  readonly isDefault?: true;
  /** It says itself what is wrong with more words. */
  readonly anyWords?: true;
  readonly choices?: readonly string[];
};

/** How it is typed in a chat. Dispatch, help, completion and the page of every surface derive from it. */
export type SlashGrammar = {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** One line for lists, short enough for a narrow screen; unless `help` is said there, too. */
  readonly help?: string;
  /** The rest, for whoever asks about this one. */
  readonly more?: string;
  /** How its arguments are written, if it takes any. */
  readonly args?: string;
  /** First arguments that can be completed. */
  readonly words?: readonly string[];
  /** Everywhere, unless said. */
  readonly where?: readonly string[];
  /** Who types it in a chat app besides the owner. Nobody, unless said. */
  readonly chats?: readonly Role[];
  /** What happens while a turn of the session runs. It works unless said. */
  readonly busy?: "refused";
};

export const groups = ["conversations", "records", "work", "settings", "maintenance"] as const;
export type Group = (typeof groups)[number];

export const owner: readonly Role[] = ["owner"];
export const people: readonly Role[] = ["owner", "member", "guest"];
export const everybody: readonly Role[] = ["owner", "member", "guest", "program"];

/** A row of the table. */
export const operation = (
  name: string,
  who: readonly Role[],
  scope: Scope,
  help: string,
  rest: Omit<Operation, "name" | "who" | "scope" | "help"> = {},
): Operation => ({ name, who, scope, help, ...rest });
