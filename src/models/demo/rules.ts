import { jsonObject, textOf } from "../wire.ts";
import type { DemoRequest, OfferedTool, ToolOutput } from "./demo-request.ts";
import { textReply, type Reply } from "./reply.ts";
import type { Found, ToolTrick, Trick } from "./trick.ts";
import { tricks } from "./tricks.ts";

/** The offline default: plain words are answered by a table of tricks, with the tools that this request offers. */
export function replyByRules(conversation: DemoRequest): Reply {
  const text = conversation.userTexts.at(-1) ?? "";
  const chore = sideTaskReply(text, conversation);
  if (chore !== undefined) return textReply(chore);
  const match = firstMatch(text, conversation);
  const result = conversation.results.at(-1);
  if (result !== undefined) return textReply(resultText(result, match));
  if (match === undefined) return textReply(abilities(conversation));
  const { trick, tool, found } = match;
  if (!isToolTrick(trick)) return textReply(trick.say(found, conversation));
  if (tool === undefined) return textReply(abilities(conversation));
  return { content: [callTo(tool, trick.args(found))] };
}

type Match = { readonly trick: Trick; readonly found: Found; readonly tool?: OfferedTool };

function firstMatch(text: string, conversation: DemoRequest): Match | undefined {
  for (const trick of tricks) {
    const found = trick.words.map((words) => words.exec(text)).find((one) => one !== null);
    if (found === undefined) continue;
    if (!isToolTrick(trick)) return { trick, found: found.groups ?? {} };
    const tool = offeredTool(trick, conversation);
    if (tool !== undefined) return { trick, tool, found: found.groups ?? {} };
  }
  return undefined;
}

const isToolTrick = (trick: Trick): trick is ToolTrick => "needs" in trick;

const offeredTool = (trick: ToolTrick, { tools }: DemoRequest): OfferedTool | undefined =>
  trick.needs.map((name) => tools.find((tool) => tool.name === name)).find((tool) => tool !== undefined);

/** A tool may call its argument otherwise (`cmd`, `command`): the one that its schema has is used. */
function callTo(tool: OfferedTool, args: ReturnType<ToolTrick["args"]>): Reply["content"][number] {
  const [first] = args;
  if (tool.custom && typeof first?.value === "string") {
    return { kind: "custom", tool: tool.name, input: first.value };
  }
  const named = args.map(({ names, value }) => [
    names.find((name) => tool.fields.includes(name)) ?? names[0] ?? "input",
    value,
  ]);
  const within = tool.namespace === undefined ? {} : { namespace: tool.namespace };
  return { kind: "call", tool: tool.name, ...within, args: JSON.stringify(Object.fromEntries(named)) };
}

function resultText(result: ToolOutput, match: Match | undefined): string {
  const output = excerpt(result.output);
  if (match === undefined || !isToolTrick(match.trick))
    return `The tool ${result.tool} answered:\n\n${output}`;
  return match.trick.answer(output, match.found);
}

const longestExcerpt = 20;

/** The beginning of an output, without the lines that codex puts before it. */
function excerpt(output: string): string {
  const plain = output.replace(/^Chunk ID: [\s\S]*?\nOutput:\n/, "").trimEnd();
  if (plain === "") return "(nothing)";
  const lines = plain.split("\n");
  const shown = lines
    .slice(0, longestExcerpt)
    .map((line) => (line.length > 200 ? `${line.slice(0, 199)}…` : line));
  const more = lines.length - shown.length;
  return more === 0
    ? shown.join("\n")
    : `${shown.join("\n")}\n… and ${more} more line${more === 1 ? "" : "s"}`;
}

/** What can be tried here, for greetings and for everything the table does not know. */
export function abilities(conversation: DemoRequest): string {
  const usable = tricks.filter(
    (trick) => !isToolTrick(trick) || offeredTool(trick, conversation) !== undefined,
  );
  const lines = usable.flatMap((trick) => (trick.help === "" ? [] : [`- ${trick.help}`]));
  return [
    "I am the built-in offline demo model: I know a few fixed tricks and need no network.",
    "With what is at hand here, you can say:",
    ...new Set(lines),
    "",
    "For real answers, choose a model: `talaria setup`.",
  ].join("\n");
}

/**
 * Small jobs beside a conversation, known by the JSON that is wanted, or by their first words. A title is the person's
 * first words; a judgement is never in favour, and a look back finds nothing, because this model understands nothing.
 * Undefined: it is none of them.
 */
function sideTaskReply(text: string, { wantedFields = [] }: DemoRequest): string | undefined {
  if (wantedFields.join() === "title") return JSON.stringify({ title: firstWords(text) });
  if (wantedFields.toSorted().join() === "risk,why")
    return JSON.stringify({ risk: "other", why: "The demo model cannot judge." });
  if (text.startsWith("[Talaria, not the person: this is a look back")) return "NOTHING";
  return undefined;
}

const mostWords = 6;

function firstWords(text: string): string {
  const words = textOf(jsonObject(text)?.["user"]).match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}'’.-]*/gu) ?? [];
  return words.length === 0 ? "A conversation" : words.slice(0, mostWords).join(" ").replace(/\.$/, "");
}
