import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { OutFile } from "../../core/gateway/chat.ts";

/** A question that is longer than a message, as a file: whoever answers is to see all of it. */
export async function wholeQuestionFile(folder: string, id: string, text: string): Promise<OutFile> {
  const questions = join(folder, "questions");
  await mkdir(questions, { recursive: true, mode: 0o700 });
  const path = join(questions, `${id}.txt`);
  const bytes = Buffer.from(text, "utf8");
  await writeFile(path, bytes, { mode: 0o600 });
  return { path, name: "question.txt", mediaType: "text/plain", bytes: bytes.length };
}
