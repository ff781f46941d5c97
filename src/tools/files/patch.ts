import { z } from "zod";
import { proposedChange, runOnlyApproved } from "./file-change.ts";
import { applyEdits } from "./patch-edits.ts";
import type { Tool } from "../tool.ts";

const edit = z.object({
  old: z
    .string()
    .min(1)
    .describe("Text that stands in the file now, with enough around it to occur only once"),
  new: z.string().describe("Text to put in its place"),
  all: z.boolean().optional().describe("Replace every occurrence (default: it has to occur exactly once)"),
});

const schema = z.object({
  path: z.string().min(1).describe("File to change; relative to the working folder or absolute"),
  edits: z.array(edit).min(1).max(100).describe("Applied in order; all of them, or none if one does not fit"),
});

export const patchTool: Tool<typeof schema> = {
  name: "patch",
  toolset: "file",
  description:
    "Change parts of a text file: each edit replaces an exact piece of its text, without the line numbers that read_file shows. Line ends of the file are kept.",
  schema,
  effect: "local",
  inOrder: true,
  timeoutMs: 30_000,
  maxOutputChars: 8000,
  asks: ({ path, edits }, context) =>
    proposedChange("patch", path, context, (before, shown) => {
      if (before.kind === "none")
        return { refused: `There is no file ${shown}. Use write_file to create it.` };
      if (before.text === undefined)
        return { refused: `${shown} is not UTF-8 text, or too large to be changed.` };
      const result = applyEdits(before.text, edits, shown);
      const broken = "text" in result && !result.text.isWellFormed();
      return broken ? { refused: "An edit would leave something that is not text." } : result;
    }),
  run: runOnlyApproved,
};
