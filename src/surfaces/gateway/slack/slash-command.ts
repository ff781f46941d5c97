import { fieldsOf } from "../../../core/json.ts";
import { short } from "../../../core/plain-text.ts";
import { findSlash } from "../../../operations/slash.ts";
import { escaped } from "./mrkdwn.ts";

/** What Slack shows to whoever typed a command of its own, in answer to it. */
export type SlashReply = { readonly response_type: "ephemeral"; readonly text: string };

const longest = 200;

/**
 * Somebody has typed a slash command that the app has at Slack. It is no message: it has no place that could be answered, none in the history
 * from which missed ones are fetched, and may come from a room that the bot is not in. So nothing is done, and they hear what to write.
 */
export function slashReply(body: unknown): SlashReply {
  const { command, text } = fieldsOf(body);
  const typed = typeof command === "string" ? command : "The command";
  const words = typeof text === "string" ? text.trim() : "";
  return {
    response_type: "ephemeral",
    text: escaped(
      `${typed} did nothing: Slack's slash commands do not reach me. Send me ${whatToSend(typed, words)} as a message instead; in a channel, mention me in it.`,
    ),
  };
}

/** `/talaria stop` and `/stop` are `!stop`. */
function whatToSend(typed: string, words: string): string {
  const own = typed.slice(1);
  const [first = "", ...rest] = words.split(/\s+/);
  if (findSlash(own) !== undefined) return `\`!${short(`${own} ${words}`.trim(), longest)}\``;
  if (words === "") return "what you want to say (`!help` lists the commands)";
  const name = first.replace(/^[/!]/, "");
  const isCommand = findSlash(name) !== undefined;
  return isCommand ? `\`!${short([name, ...rest].join(" "), longest)}\`` : `“${short(words, longest)}”`;
}
