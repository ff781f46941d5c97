import { z } from "zod";
import { Refusal } from "../../core/host.ts";
import type { SessionId, TurnId } from "../../core/ids.ts";
import type { Json } from "../../core/json.ts";
import { short } from "../../core/plain-text.ts";
import { type Tool, type ToolContext, type ToolResult, failed } from "../../tools/tool.ts";
import type { LearnedFiles, WriteRule } from "../index.ts";
import type { OwnWords } from "../provenance/own-words.ts";
import { entriesOf, joinedLength, textsOf, type Entry } from "./entries.ts";
import { isTooFull } from "./memory-limits.ts";
import { type Judgement, judge } from "./write-or-propose.ts";
import { type MemoryFile, memoryFileName } from "./memory-files.ts";
import type { MemoryChange } from "./redo.ts";

export type MemoryToolParts = {
  readonly files: LearnedFiles;
  readonly memoryFiles: (cwd: string) => Promise<readonly MemoryFile[]>;
  readonly ownWords: OwnWords;
  /** What in a text tries to steer whoever reads it, as the end of a sentence. */
  readonly suspicion: (text: string) => string | undefined;
  readonly ruleOf: (context: Pick<ToolContext, "session" | "turn">) => WriteRule;
};

const schema = z.object({
  action: z.enum(["add", "replace", "remove"]),
  target: z
    .enum(["memory", "user", "project"])
    .default("memory")
    .describe("user: about the person; memory: their work in general; project: this project alone"),
  content: z.string().max(4000).optional().describe("Of add and replace: one short fact"),
  old_text: z
    .string()
    .max(4000)
    .optional()
    .describe("Of replace and remove: part of one entry, or all of it"),
});

type Args = z.infer<typeof schema>;

/** A model that keeps trying would use up the turn. */
const mostFailures = 3;

export function memoryTool(parts: MemoryToolParts): Tool<typeof schema> {
  const failures = failureCounts();
  return {
    name: "memory",
    toolset: "memory",
    description:
      "Remember something for later conversations: lasting facts and wishes that the person stated, in their words. No " +
      "secrets, nothing that holds only now. What does not rest on the person's own words waits for their yes.",
    schema,
    // What it writes is judged by what it rests on, and can be taken back.
    effect: "none",
    lasting: true,
    timeoutMs: 30_000,
    maxOutputChars: 10_000,
    inOrder: true,
    async run(args, context) {
      if (failures.of(context) >= mostFailures) return failed(stop);
      try {
        return await change(parts, args, context);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        const isLast = failures.add(context) >= mostFailures;
        const said = `Nothing was changed. ${`${error.message} ${error.next}`.trim()}`;
        return failed(isLast ? `${said}\n${stop}` : said);
      }
    },
  };
}

const stop = "Stop trying to change memory in this turn, and go on with what the person asked for.";

/** Failures in the latest turn of each session. */
function failureCounts() {
  const counts = new Map<SessionId, { readonly turn: TurnId; readonly count: number }>();
  const of = ({ session, turn }: Pick<ToolContext, "session" | "turn">): number => {
    const last = counts.get(session);
    return last?.turn === turn ? last.count : 0;
  };
  return {
    of,
    add(context: Pick<ToolContext, "session" | "turn">): number {
      const count = of(context) + 1;
      counts.set(context.session, { turn: context.turn, count });
      return count;
    },
  };
}

async function change(parts: MemoryToolParts, args: Args, context: ToolContext): Promise<ToolResult> {
  const { session, turn, cwd } = context;
  const rule = parts.ruleOf(context);
  const memoryFile = (await parts.memoryFiles(cwd)).find(({ target }) => target === args.target);
  if (memoryFile === undefined) throw usage(`The target ${args.target} is switched off.`);
  const now = await parts.files.read(memoryFile.file);
  const asked = askedChange(args, memoryFile, now);
  if (asked.action === "add" && textsOf(now).includes(asked.content))
    return {
      ok: true,
      output: `${memoryFileName(memoryFile)} has this entry already. ${usageOf(now, memoryFile)}`,
    };
  refuseFull(asked, memoryFile, now);
  const ownMessages = await parts.ownWords(session);
  const { how, why, evidence, trusted } = judge(asked, { ownMessages, rule, suspicion: parts.suspicion });
  const revision = await parts.files.change(
    {
      kind: "memory",
      file: memoryFile.file,
      summary: summaryOf(asked, memoryFile),
      change: { ...asked } as Json,
      from: { by: rule.by, session, turn, evidence, trusted },
    },
    how,
    why,
  );
  return { ok: true, output: answer(revision, { how, ...(why === undefined ? {} : { why }) }, memoryFile) };
}

function askedChange(
  { action, target, content, old_text }: Args,
  memoryFile: MemoryFile,
  now: string | undefined,
): MemoryChange {
  const text = action === "remove" ? "" : newEntry(content);
  if (action === "add")
    return {
      action,
      target,
      content: text,
      ...(memoryFile.first === undefined ? {} : { first: memoryFile.first }),
    };
  if (old_text === undefined)
    throw usage(`old_text is missing: ${action} needs it to know which entry is meant.`);
  const { entries } = entriesOf(now ?? "");
  const meant = meantEntry(entries, old_text);
  if ("none" in meant)
    throw usage(`No entry has ${JSON.stringify(short(old_text, 100))} in it. ${listOf(now, memoryFile)}`);
  if ("several" in meant) {
    const lines = meant.several.map((entry) => `- ${short(entry.text, 200)}`).join("\n");
    throw usage(`Several entries have that in them; give more of the one that is meant:\n${lines}`);
  }
  const entry = meant.entry.text;
  return action === "remove" ? { action, target, entry } : { action, target, entry, content: text };
}

function newEntry(content: string | undefined): string {
  const text = (content ?? "").replaceAll("\r\n", "\n").trim();
  if (text === "") throw usage("content is missing: there is nothing to remember.");
  if (/^[ \t]*§[ \t]*$/m.test(text))
    throw usage("A line with § alone stands between entries. Add them one by one.");
  if (text.startsWith("<!--")) throw usage("An entry does not begin with a comment.");
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u0008\u000B-\u001F\u007F]/.test(text)) throw usage("content has control characters in it.");
  return text;
}

function refuseFull(asked: MemoryChange, memoryFile: MemoryFile, now: string | undefined): void {
  const texts = textsOf(now);
  const at = asked.action === "add" ? texts.length : texts.indexOf(asked.entry);
  const after = asked.action === "remove" ? texts.toSpliced(at, 1) : texts.toSpliced(at, 1, asked.content);
  if (!isTooFull(after, texts, memoryFile.limit)) return;
  const size = joinedLength(after);
  throw usage(
    `${memoryFileName(memoryFile)} would have ${size} characters, and may have ${memoryFile.limit}. Make it shorter, or replace or remove ` +
      `what matters least first. ${listOf(now, memoryFile)}`,
  );
}

const usage = (message: string): Refusal => new Refusal("usage", message, "");

function usageOf(now: string | undefined, { limit }: MemoryFile): string {
  const texts = textsOf(now);
  const size = joinedLength(texts);
  return `${texts.length} ${texts.length === 1 ? "entry" : "entries"}, ${size} of ${limit} characters (${Math.round((size / limit) * 100)}%).`;
}

const listOf = (now: string | undefined, memoryFile: MemoryFile): string =>
  [
    `${memoryFileName(memoryFile)} has ${usageOf(now, memoryFile)}`,
    ...textsOf(now).map((text) => `- ${text}`),
  ].join("\n");

function summaryOf(asked: MemoryChange, memoryFile: MemoryFile): string {
  const name = memoryFileName(memoryFile).replace("the project's ", "project ");
  if (asked.action === "remove") return short(`${name}: no longer: ${asked.entry}`, 160);
  return short(`${name}: ${asked.content}`, 160);
}

function answer(
  { id, after }: { readonly id: string; readonly after?: string },
  { how, why }: Pick<Judgement, "how" | "why">,
  memoryFile: MemoryFile,
): string {
  if (how === "write")
    return `Written to ${memoryFileName(memoryFile)} (${id}). ${usageOf(after, memoryFile)}`;
  return `Not written: it waits for the person as ${id}, because ${why}. They decide with \`talaria learned approve ${id}\`; go on without it.`;
}

/** Which entry is meant: the one that is this text, else the only one that has it in it. */
type Meant = { readonly entry: Entry } | { readonly none: true } | { readonly several: readonly Entry[] };

function meantEntry(entries: readonly Entry[], words: string): Meant {
  const text = words.trim();
  const whole = entries.find((entry) => entry.text === text);
  if (whole !== undefined) return { entry: whole };
  const found = text === "" ? [] : entries.filter((entry) => entry.text.includes(text));
  const [entry] = found;
  if (entry === undefined) return { none: true };
  return new Set(found.map((one) => one.text)).size === 1 ? { entry } : { several: found };
}
