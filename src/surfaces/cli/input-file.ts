import { readFile } from "node:fs/promises";
import { basename, extname, resolve } from "node:path";
import type { Readable } from "node:stream";
import { isPlainObject, type Json } from "../../core/json.ts";
import type { InputPart } from "../../core/messages.ts";
import { usage } from "./failure.ts";

const imageTypes: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
};
const maxImageBytes = 20 * 1024 * 1024;

export async function imagePart(cwd: string, file: string): Promise<InputPart> {
  const mediaType = imageTypes[extname(file).toLowerCase()];
  if (mediaType === undefined) {
    throw usage(
      `--image ${file}: not a picture Talaria can send.`,
      `Use one of ${Object.keys(imageTypes).join(", ")}.`,
    );
  }
  const bytes = await readFile(resolve(cwd, file)).catch((error: Error) => {
    throw usage(`--image ${file} cannot be read: ${error.message}.`);
  });
  if (bytes.length > maxImageBytes)
    throw usage(`--image ${file} is larger than 20 MiB.`, "Scale it down first.");
  return { type: "image", name: basename(file), mediaType, base64: bytes.toString("base64") };
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
