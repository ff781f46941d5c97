import { fieldsOf, listOf } from "../../core/json.ts";
import { cutMiddle } from "../cut-middle.ts";
import { delimited } from "../../core/text/delimited.ts";
import type { ToolContext, ToolResult } from "../tool.ts";
import { foreignLine } from "./foreign-text.ts";
import type { SaveMedia } from "./media-files.ts";
import type { Reply } from "./server.ts";

/** Where a reply comes from. */
export type Source = {
  readonly server: string;
  readonly tool: string;
  readonly save: SaveMedia;
  readonly mask: ToolContext["mask"];
};

export const maxResultChars = 100_000;
const maxFiles = 20;

/** What a call returned, for the model: text from outside stands between delimiters, what is ours does not. */
export async function toolResult(source: Source, { result, remarks }: Reply): Promise<ToolResult> {
  const read = reader(source);
  const lines = await inOrder(listOf(result["content"]), read.content);
  const structured = result["structuredContent"];
  const text = lines.filter((line) => line !== "").join("\n");
  const shown = text === "" && structured !== undefined ? JSON.stringify(structured) : text;
  return textResult(source, shown, [...read.files, ...remarks], result["isError"] !== true);
}

/** What `resources/read` gave. */
export async function resourceResult(source: Source, { result, remarks }: Reply): Promise<ToolResult> {
  const read = reader(source);
  const lines = await inOrder(listOf(result["contents"]), (one) =>
    read.content({ type: "resource", resource: one }),
  );
  return textResult(source, lines.filter((line) => line !== "").join("\n"), [...read.files, ...remarks]);
}

/** What `prompts/get` gave: its messages are data as well. */
export async function promptResult(source: Source, { result, remarks }: Reply): Promise<ToolResult> {
  const read = reader(source);
  const lines = await inOrder(listOf(result["messages"]), async (message) => {
    const { role, content } = fieldsOf(message);
    return `${foreignLine(String(role), 20)}: ${await read.content(content)}`;
  });
  return textResult(source, lines.join("\n"), [...read.files, ...remarks]);
}

/** What a list gave, one line each. */
export function listResult(source: Source, { result, remarks }: Reply, key: string): ToolResult {
  const lines = listOf(result[key]).map((one) => {
    const { uri, name, title, description, arguments: wants } = fieldsOf(one);
    const names = listOf(wants).map((argument) => String(fieldsOf(argument)["name"]));
    const of = names.length === 0 ? "" : ` (arguments: ${names.join(", ")})`;
    return `- ${[uri, name, title, description].filter((text) => typeof text === "string").join(" · ")}${of}`;
  });
  const more =
    typeof result["nextCursor"] === "string" ? ["The server has more of them than are shown."] : [];
  return textResult(source, lines.join("\n"), [...more, ...remarks]);
}

function textResult(
  { server, tool, mask }: Source,
  text: string,
  ours: readonly string[],
  ok = true,
): ToolResult {
  const from = `the MCP server ${server}, tool ${tool}`;
  const quoted = text === "" ? [] : [delimited(from, cutMiddle(mask(text), maxResultChars))];
  const nothing = text === "" && ours.length === 0 ? ["It returned nothing."] : [];
  return { ok, output: [...quoted, ...ours.map((line) => `[${line}]`), ...nothing].join("\n") };
}

/** One after the other: files are numbered as they stand. */
async function inOrder(
  parts: readonly unknown[],
  read: (part: unknown) => Promise<string>,
): Promise<string[]> {
  const lines: string[] = [];
  for (const part of parts) lines.push(await read(part));
  return lines;
}

/** `files`: a line for each file that was written, or could not be. */
function reader({ server, save }: Source) {
  const files: string[] = [];
  const saveFile = async (kind: string, type: unknown, data: unknown): Promise<string> => {
    const mime = foreignLine(String(type ?? "unknown type"), 60);
    if (files.length >= maxFiles) return `(${kind} left out: a result may have ${maxFiles} files)`;
    try {
      const path = await save(server, mime, String(data ?? ""));
      files.push(`A ${kind} (${mime}) was saved as ${path}`);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      files.push(`A ${kind} (${mime}) could not be saved: ${why}`);
    }
    return "";
  };
  const content = async (part: unknown): Promise<string> => {
    const { type, text, data, mimeType, resource, uri, name, description } = fieldsOf(part);
    if (type === "text") return String(text ?? "");
    if (type === "image") return saveFile("picture", mimeType, data);
    if (type === "audio") return saveFile("sound", mimeType, data);
    if (type === "resource_link")
      return `resource: ${[uri, name, description].filter((one) => typeof one === "string").join(" · ")}`;
    if (type !== "resource")
      return `(a part of the kind ${JSON.stringify(type)}, which Talaria does not know)`;
    const inner = fieldsOf(resource);
    if (typeof inner["text"] === "string") return `resource ${String(inner["uri"])}:\n${inner["text"]}`;
    return saveFile(`file of ${foreignLine(String(inner["uri"]), 200)}`, inner["mimeType"], inner["blob"]);
  };
  return { files, content };
}
