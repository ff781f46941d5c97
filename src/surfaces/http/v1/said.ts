import { z } from "zod";
import type { InputPart } from "../../../core/messages.ts";
import { pictureOf } from "../../../lib/picture.ts";
import { unsupported } from "../failures.ts";
import { wrong } from "./fields.ts";

// What clients say, in the two forms that OpenAI's API has for it.

const part = z.looseObject({ type: z.string() });
export const content = z.union([z.string(), z.array(part)]).nullish();

/** A message of a conversation, as the client remembers it. */
const called = z.looseObject({ function: z.looseObject({ name: z.string(), arguments: z.string() }) });
export const message = z.looseObject({
  role: z.string(),
  content,
  tool_calls: z.array(called).nullish(),
  function_call: z.null().optional(),
  audio: z.null().optional(),
});
export type SaidMessage = z.infer<typeof message>;

/** Instructions, what was said before, and what is said now. */
export type Said = {
  readonly system: string;
  readonly earlier: readonly { readonly role: string; readonly text: string }[];
  readonly now: readonly InputPart[];
};

const roles: ReadonlySet<string> = new Set(["system", "developer", "user", "assistant", "tool", "function"]);

export function saidIn(messages: readonly SaidMessage[], param: string, instructions = ""): Said {
  const stranger = messages.find(({ role }) => !roles.has(role));
  if (stranger !== undefined)
    throw unsupported(
      param,
      `A message of the role ${stranger.role.slice(0, 40)} is not supported.`,
      "Use one of: " + [...roles].join(", ") + ".",
    );
  const last = messages.at(-1);
  if (last?.role !== "user") throw wrong(param, "The last message has to be the user's.");
  const isSystem = ({ role }: SaidMessage): boolean => role === "system" || role === "developer";
  const before = messages.slice(0, -1);
  const now = partsOf(last.content, param);
  if (now.every((each) => each.type === "text" && each.text.trim() === ""))
    throw wrong(param, "There is nothing to send.");
  return {
    system: [instructions, ...before.filter(isSystem).map(textOf)]
      .filter((text) => text.trim() !== "")
      .join("\n\n"),
    earlier: before
      .filter((each) => !isSystem(each))
      .map((each) => ({ role: each.role, text: textOf(each) }))
      .filter(({ text }) => text.trim() !== ""),
    now,
  };
}

/** Calls that somebody else's model has made belong to what was said. */
const textOf = ({ content: said, tool_calls: calls }: SaidMessage): string =>
  [
    wordsOf(partsOf(said, "messages")),
    ...(calls ?? []).map(({ function: { name, arguments: given } }) => `[called ${name} with ${given}]`),
  ]
    .filter((text) => text !== "")
    .join("\n");

/** What it is, its bytes say: one that no model can read would stay in the conversation, and fail every turn after it. */
function pictureIn(url: unknown, param: string): InputPart {
  const [, base64] = /^data:image\/[^,]*;base64,(.*)$/s.exec(typeof url === "string" ? url : "") ?? [];
  if (base64 === undefined)
    throw unsupported(param, "A picture has to come with the request.", "Send it as data:image/…;base64,…");
  const found = pictureOf("picture", Buffer.from(base64, "base64"));
  if (!("why" in found)) return { type: "image", ...found };
  if (found.why === "too_big")
    throw unsupported(param, "A picture is larger than 20 MiB.", "Scale it down first.");
  throw unsupported(param, "A picture cannot be read.", "Send PNG, JPEG, GIF or WebP.");
}

/** What of it can be said in words. */
export const wordsOf = (parts: readonly InputPart[]): string =>
  parts.map((each) => (each.type === "text" ? each.text : "[a picture]")).join("\n");

export function partsOf(said: SaidMessage["content"], param: string): readonly InputPart[] {
  if (typeof said === "string") return said === "" ? [] : [{ type: "text", text: said }];
  return (said ?? []).map((each) => partOf(each, param));
}

function partOf(each: z.infer<typeof part>, param: string): InputPart {
  const { type, text, image_url: picture } = each;
  if (["text", "input_text", "output_text"].includes(type) && typeof text === "string")
    return { type: "text", text };
  const url =
    typeof picture === "string" ? picture : (picture as { readonly url?: unknown } | undefined)?.url;
  if (type === "image_url" || type === "input_image") return pictureIn(url, param);
  throw unsupported(
    param,
    `Content of the type ${String(type).slice(0, 40)} is not supported.`,
    "Send text and pictures.",
  );
}

/** What a conversation that begins here is told of what was before it, in the words of whoever sends it. */
export function preamble({ system, earlier }: Said, withEarlier: boolean): readonly InputPart[] {
  const parts = [
    ...(system === "" ? [] : [`[Instructions of the program that sends this:]\n${system}`]),
    ...(withEarlier && earlier.length > 0
      ? [
          `[What was said before, as that program remembers it:]\n${earlier.map(({ role, text }) => `${role}: ${text}`).join("\n\n")}`,
        ]
      : []),
  ];
  return parts.length === 0 ? [] : [{ type: "text", text: `${parts.join("\n\n")}\n\n[What is said now:]` }];
}
