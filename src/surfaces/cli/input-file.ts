import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Readable } from "node:stream";
import { isPlainObject, type Json } from "../../core/json.ts";
import type { InputPart } from "../../core/messages.ts";
import { pictureEndings, readPicture } from "../../lib/picture.ts";
import { usage } from "./failure.ts";

export async function imagePart(cwd: string, file: string): Promise<InputPart> {
  const found = await readPicture(resolve(cwd, file));
  if (!("why" in found)) return { type: "image", ...found };
  if (found.why === "too_big") throw usage(`--image ${file} is larger than 20 MiB.`, "Scale it down first.");
  if (found.why !== "not_a_picture") throw usage(`--image ${file} cannot be read: ${found.detail}.`);
  throw usage(`--image ${file}: not a picture Talaria can send.`, `Use one of ${pictureEndings.join(", ")}.`);
}

export async function schemaFile(cwd: string, file: string): Promise<Json> {
  const text = await readFile(resolve(cwd, file), "utf8").catch((error: Error) => {
    throw usage(`--schema ${file} cannot be read: ${error.message}.`);
  });
  try {
    const schema: unknown = JSON.parse(text);
    if (isPlainObject(schema)) return schema as Json;
  } catch (error) {
    throw usage(`--schema ${file} is not valid JSON: ${(error as Error).message}.`);
  }
  throw usage(`--schema ${file} is not a JSON Schema: it has to be an object.`);
}

export async function readAll(stdin: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks).toString("utf8");
}
