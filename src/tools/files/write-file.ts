import { z } from "zod";
import { proposedChange, runOnlyApproved } from "./file-change.ts";
import type { Tool } from "../tool.ts";

const schema = z.object({
  path: z.string().min(1).describe("File to write; relative to the working folder or absolute"),
  content: z.string().describe("The whole text of the file, exactly as it is to be"),
});

export const writeFileTool: Tool<typeof schema> = {
  name: "write_file",
  toolset: "file",
  description:
    "Create a text file, or replace all of one. Missing folders are made. To change a part of a file, use patch.",
  schema,
  effect: "local",
  inOrder: true,
  timeoutMs: 30_000,
  maxOutputChars: 4000,
  asks: ({ path, content }, context) =>
    proposedChange("write_file", path, context, () =>
      content.isWellFormed() ? { text: content } : { refused: "The content is not text that can be stored." },
    ),
  run: runOnlyApproved,
};
