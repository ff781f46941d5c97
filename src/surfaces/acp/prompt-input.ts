import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import type { ContentBlock, EmbeddedResourceResource } from "@agentclientprotocol/sdk";
import { Refusal } from "../../core/host.ts";
import type { InputPart } from "../../core/messages.ts";
import { pictureOf } from "../../lib/picture.ts";
import { codeBlock } from "./markdown.ts";

/**
 * A prompt as models get it. Mentions stay where they stand in the sentence, and what was sent along with them follows
 * at the end. Throws a Refusal for what cannot be sent: nothing of a prompt is left out silently.
 */
export function promptInput(blocks: readonly ContentBlock[]): readonly InputPart[] {
  const parts = blocks.map(partOf);
  const words = parts.map(({ inline = "" }) => inline).join("");
  const text = [words, ...parts.flatMap(({ below }) => below ?? [])].filter((piece) => piece.trim() !== "");
  const pictures = parts.flatMap(({ picture }) => picture ?? []);
  if (text.length === 0 && pictures.length === 0)
    throw new Refusal("usage", "There is nothing to send.", "Write a message.");
  return [...(text.length === 0 ? [] : [{ type: "text" as const, text: text.join("\n\n") }]), ...pictures];
}

type Part = {
  readonly inline?: string;
  readonly below?: string;
  readonly picture?: InputPart;
};

function partOf(block: ContentBlock): Part {
  switch (block.type) {
    case "text":
      return { inline: block.text };
    case "image":
      return { picture: readPicture(block.uri ?? "picture", block.data) };
    case "resource_link":
      return { inline: pathOrAddress(block.uri) };
    case "resource":
      return resourcePart(block.resource);
    case "audio":
      throw new Refusal("usage", "Talaria cannot listen to sound.", "Send it as text.");
  }
  throw new Refusal("usage", "The prompt holds something Talaria does not know.", "Send it as text.");
}

function resourcePart(resource: EmbeddedResourceResource): Part {
  const source = pathOrAddress(resource.uri);
  if ("text" in resource) return { inline: source, below: `${source}:\n${codeBlock(resource.text)}` };
  if (resource.mimeType?.startsWith("image/") === true)
    return { inline: source, picture: readPicture(resource.uri, resource.blob) };
  throw new Refusal(
    "usage",
    `${source} was sent as bytes that are neither text nor a picture.`,
    "Mention the file instead, so that it can be read with a tool.",
  );
}

function readPicture(uri: string, base64: string): InputPart {
  const found = pictureOf(basename(pathOrAddress(uri)), Buffer.from(base64, "base64"));
  if (!("why" in found)) return { type: "image", ...found };
  if (found.why === "too_big")
    throw new Refusal("usage", "A picture is larger than 20 MiB.", "Scale it down first.");
  throw new Refusal("usage", "A picture cannot be read.", "Use PNG, JPEG, GIF or WebP.");
}

/** Tools take paths; any other address stays as it is. */
function pathOrAddress(uri: string): string {
  if (!uri.startsWith("file://")) return uri;
  try {
    const { hash } = new URL(uri);
    return fileURLToPath(uri) + decodeURIComponent(hash);
  } catch {
    return uri;
  }
}
