import { realpath, stat } from "node:fs/promises";
import { relative, resolve } from "node:path";
import { z } from "zod";
import { existing, isInside } from "../../lib/sandbox/paths.ts";
import { type FileSearch, type SearchEnd, hitText } from "./file-search.ts";
import { globSource, literalSource } from "./glob.ts";
import { guardedText } from "./open-inside.ts";
import { searchInThread } from "./search-thread.ts";
import { withinTime } from "../../lib/time-limit.ts";
import { type Tool, type ToolResult, failed } from "../tool.ts";

const defaultLimit = 100;
const searchMs = 20_000;

const schema = z.object({
  pattern: z
    .string()
    .min(1)
    .max(1000)
    .describe("Regular expression (JavaScript); for kind name also a glob like *.ts"),
  kind: z
    .enum(["content", "name"])
    .optional()
    .describe("Match lines inside files (default content) or the paths of files"),
  path: z.string().min(1).optional().describe("Folder or file to search in (default: the working folder)"),
  glob: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .describe("Only files that fit, for example *.ts or src/**/*.md"),
  literal: z.boolean().optional().describe("Take the pattern as plain text"),
  ignore_case: z.boolean().optional().describe("Do not tell capital letters apart"),
  limit: z.int().min(1).max(1000).optional().describe(`How many matches at most (default ${defaultLimit})`),
});
type Args = z.infer<typeof schema>;

/** `guarded`: places whose files are not for models, wherever the working folder is. */
export const searchFilesTool = (guarded: readonly string[] = []): Tool<typeof schema> => ({
  name: "search_files",
  toolset: "file",
  description:
    "Search the files of the working folder: lines that match (path:line: text), or files by name. Each line is matched by itself. What .gitignore leaves out, node_modules, binary and very large files are skipped.",
  schema,
  effect: "none",
  timeoutMs: searchMs + 10_000,
  maxOutputChars: 60_000,

  async run(args, { cwd, hidden = [], clock, signal, mask }) {
    const guardedPaths = await existing([...guarded, ...hidden]);
    const scope = await searchScope(cwd, args.path, guardedPaths);
    if ("refused" in scope) return failed(scope.refused);
    const expression = expressionOf(args);
    if ("refused" in expression) return failed(expression.refused);
    const search: FileSearch = {
      ...scope,
      ...expression,
      guarded: guardedPaths,
      kind: args.kind ?? "content",
      limit: args.limit ?? defaultLimit,
      ...(args.glob === undefined ? {} : { glob: args.glob }),
    };
    const lines: string[] = [];
    const ended = await withinTime(searchMs, clock, signal, (inner) =>
      searchInThread(search, (found) => lines.push(...found.map((hit) => hitText(hit, mask))), inner),
    );
    signal.throwIfAborted();
    return resultText(lines, ended.end === "done" ? ended.value : undefined, search);
  },
});

/** Nothing outside is searched, and whether it exists is not told. */
async function searchScope(
  cwd: string,
  path = ".",
  guarded: readonly string[],
): Promise<Pick<FileSearch, "root" | "start"> | { readonly refused: string }> {
  const root = await realpath(cwd).catch(() => undefined);
  if (root === undefined) return { refused: `The working folder ${cwd} is gone or cannot be opened.` };
  const asked = resolve(cwd, path);
  const outside = {
    refused: `${path} is outside the working folder, and only files inside it can be searched.`,
  };
  if (!isInside(asked, resolve(cwd)) && !isInside(asked, root)) return outside;
  const real = await realpath(asked).catch(() => undefined);
  if (real === undefined) return { refused: `There is no ${path} in the working folder.` };
  if (!isInside(real, root)) return outside;
  if (guarded.some((guardedPaths) => isInside(real, guardedPaths))) return { refused: guardedText(path) };
  const start = relative(root, real);
  const isFolder = (await stat(real)).isDirectory();
  return { root, start: isFolder && start !== "" ? `${start}/` : start };
}

/** For names a glob is taken as well: it is what people and models write there. */
function expressionOf({
  pattern,
  kind,
  literal,
  ignore_case,
}: Args): Expression | { readonly refused: string } {
  const caseFlag = ignore_case === true ? "i" : "";
  if (literal === true) return { pattern: literalSource(pattern), flags: `${caseFlag}u` };
  const why = whyNotRegex(pattern, "u");
  if (kind === "name" && (why !== undefined || looksLikeGlob.test(pattern))) {
    return { pattern: `^(?:.*/)?${globSource(pattern)}$`, flags: `${caseFlag}u` };
  }
  // Without the flag more is understood, such as a needless backslash.
  if (why === undefined) return { pattern, flags: `${caseFlag}u` };
  if (whyNotRegex(pattern, "") === undefined) return { pattern, flags: caseFlag };
  return {
    refused: `The pattern cannot be read as a regular expression (${why}). Correct it, or set literal to search for it as plain text.`,
  };
}

type Expression = Pick<FileSearch, "pattern" | "flags">;

const looksLikeGlob = /^\*|\/\*|^[\w.-]*\*\.\w+$/;

function whyNotRegex(source: string, flags: string): string | undefined {
  try {
    void new RegExp(source, flags);
    return undefined;
  } catch (error) {
    return (error as Error).message.replace(/^Invalid regular expression: /, "");
  }
}

function resultText(
  lines: readonly string[],
  end: SearchEnd | undefined,
  { kind, limit }: FileSearch,
): ToolResult {
  const what = kind === "name" ? "file" : "line";
  const notes = end === undefined ? [unfinished] : notesOf(end, limit, what);
  const text = lines.length === 0 ? [`No ${what} matches.`] : lines;
  return { ok: end !== undefined || lines.length > 0, output: [...text, ...notes].join("\n") };
}

const unfinished = `[The search took longer than ${searchMs / 1000} s and was stopped; search in a smaller folder or with a simpler pattern]`;

function notesOf(end: SearchEnd, limit: number, what: string): readonly string[] {
  const skipped = [
    [end.credentials, "that hold credentials"],
    [end.large, "that are too large"],
    [end.binary, "that are not text"],
    [end.unreadable, "that could not be read"],
  ] as const;
  const words = skipped.filter(([count]) => count > 0).map(([count, why]) => `${count} ${why}`);
  return [
    ...(end.stopped === "limit" ? [`[Only the first ${limit} are shown; there are more]`] : []),
    ...(end.stopped === "too much"
      ? ["[There are too many files; only a part was searched. Give a path]"]
      : []),
    ...(words.length > 0 ? [`[Left out: files ${words.join(", ")}]`] : []),
    ...(end.longLines > 0 ? [`[Of ${end.longLines} very long lines only the beginning was searched]`] : []),
    ...(end.files === 0 && what === "line" ? ["[No file was searched]"] : []),
  ];
}
