import type { Platform } from "../../core/gateway/chat.ts";
import { findSlash } from "../../operations/slash.ts";

/**
 * The command in a message, with its slash. Slack keeps lines with a slash for itself, so `!stop` is the same as `/stop`;
 * other words behind an exclamation mark are a message. `/stop@bot` names a bot, as groups want it.
 */
export function commandIn(text: string): string | undefined {
  const trimmed = text.trim();
  const found = /^([/!])([a-z][\w-]*)(?:@\w+)?(?=\s|$)/i.exec(trimmed);
  const [head = "", mark, name = ""] = found ?? [];
  if (mark === undefined) return undefined;
  if (mark === "!" && findSlash(name) === undefined) return undefined;
  const line = `/${name}${trimmed.slice(head.length)}`;
  // "/stop please" has to stop, too.
  return isStop(line) ? `/${name}` : line;
}

/** Is it a command for another bot of the group? Platforms do not tell names apart by their case. */
export function isForAnotherBot(text: string, own: string): boolean {
  const [, named] = /^\s*[/!][a-z][\w-]*@(\w+)(?=\s|$)/i.exec(text) ?? [];
  return named !== undefined && named.toLowerCase() !== own.toLowerCase();
}

/** Ends what runs, and is never anything else: whatever the chat is doing, it comes first. */
export const isStop = (line: string): boolean => /^\/(?:stop|abort)(?:\s|$)/i.test(line);

/** Words of ours, with commands named as they are typed on that platform. */
export const asTyped = (surface: Platform, text: string): string =>
  surface === "slack"
    ? text.replace(/(?<=^|[\s(`"“])\/([a-z][\w-]*)(?![\w/-]|\.\w)/gm, (line, name: string) =>
        findSlash(name) === undefined ? line : `!${name}`,
      )
    : text;
