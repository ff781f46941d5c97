import { cutMiddle } from "./cut-middle.ts";
import { type Replacement, replaceFile } from "./replace-file.ts";
import { type SeenFile, maxTextBytes, seenFile, whyUnwritable } from "./seen-file.ts";
import type { AskedOf, ToolContext, ToolResult } from "./tool.ts";
import { unifiedDiff } from "./unified-diff.ts";
import { type WriteTarget, writeTarget } from "./write-target.ts";

/** From what stands there to what is to stand there. `refused` is a sentence for the model. */
export type Edit = (
  before: Exclude<SeenFile, { kind: "refused" }>,
  shown: string,
) => { readonly text: string } | { readonly refused: string };

const maxDiffChars = 64 * 1024;

/**
 * What a tool that changes one file asks. The file is looked at now, so that the person sees the very change; what is
 * allowed is that change of that file, and if either is another one by then, nothing is written.
 */
export async function askedChange(
  tool: string,
  path: string,
  { cwd }: ToolContext,
  edit: Edit,
): Promise<AskedOf> {
  const target = await writeTarget(cwd, path);
  if ("refused" in target) return target;
  const planned = await plan(target, edit);
  const asked = {
    cwd,
    effect: "local",
    ...(target.inside ? {} : { reason: "The file is outside the working folder." }),
  } as const;
  if (!("refused" in planned)) {
    const change = { path: target.path, kind: planned.kind, diff: cutMiddle(planned.diff, maxDiffChars) };
    return {
      ...asked,
      summary: `${tool} ${target.shown} (${planned.size})`,
      action: { kind: "change", changes: [change] },
      run: ({ signal, mask }) =>
        carryOut(target, path, cwd, { ...planned, diff: mask(planned.diff) }, signal),
    };
  }
  if (target.inside) return planned;
  // What is wrong with it would tell about a file that nobody has allowed to look at.
  return {
    ...asked,
    summary: `${tool} ${target.shown} (details not available)`,
    action: { kind: "change", changes: [{ path: target.path, kind: "update" }] },
    run: async () => ({ ok: false, output: planned.refused }),
  };
}

/** For the `run` of such a tool: `asks` gives the one that counts. */
export const onlyAsAsked = (): Promise<ToolResult> =>
  Promise.resolve({ ok: false, output: "A file is changed only by what was asked about before." });

type Plan = Replacement & {
  readonly kind: "add" | "update";
  readonly diff: string;
  /** In words: how much would be changed. */
  readonly size: string;
};

async function plan({ path, shown }: WriteTarget, edit: Edit): Promise<Plan | { readonly refused: string }> {
  const before = await seenFile(path, shown);
  if (before.kind === "refused") return { refused: before.why };
  const edited = edit(before, shown);
  if ("refused" in edited) return edited;
  const { text } = edited;
  if (Buffer.byteLength(text) > maxTextBytes) {
    return { refused: `The text is too long: at most ${maxTextBytes} bytes can be written at once.` };
  }
  if (before.kind === "file" && before.text === text) {
    return { refused: `${shown} holds exactly this text already; nothing needs to be written.` };
  }
  const shared = { path, text, mark: before.kind === "file" ? before.mark : undefined };
  if (before.kind === "file" && before.text === undefined)
    return { ...shared, ...blindly(shown, text, before.mark.size) };
  const oldText = before.kind === "file" ? before.text : undefined;
  const { text: diff, added, removed } = unifiedDiff(shown, oldText, text);
  const kind = before.kind === "file" ? "update" : "add";
  const size = kind === "add" ? `new, ${lines(added)}` : `+${added} -${removed} lines`;
  return { ...shared, kind, size, diff };
}

/** What stood there cannot be shown. */
function blindly(shown: string, text: string, bytes: bigint): Pick<Plan, "kind" | "diff" | "size"> {
  const { text: diff, added } = unifiedDiff(shown, "", text);
  const [from = "", to = "", ...rest] = diff.split(/(?<=\n)/);
  const gone = `[${bytes} bytes that cannot be shown as text are replaced]\n`;
  return {
    kind: "update",
    size: `${lines(added)} instead of ${bytes} bytes`,
    diff: [from, to, gone, ...rest].join(""),
  };
}

async function carryOut(
  { path, shown }: WriteTarget,
  asked: string,
  cwd: string,
  planned: Plan,
  signal: AbortSignal,
): Promise<ToolResult> {
  const now = await writeTarget(cwd, asked);
  const moved = "refused" in now || now.path !== path;
  const done = moved ? "moved" : await replaceFile(planned, signal).catch(unlessStopped(signal));
  if (typeof done !== "string") return { ok: false, output: `${shown} was not written: ${done.why}.` };
  if (done === "written") {
    const did = planned.kind === "add" ? "Created" : "Changed";
    return {
      ok: true,
      output: `${did} ${shown} (${planned.size}).`,
      diff: cutMiddle(planned.diff, maxDiffChars),
    };
  }
  return { ok: false, output: failures[done](shown) };
}

const unlessStopped =
  (signal: AbortSignal) =>
  (error: unknown): { readonly why: string } => {
    signal.throwIfAborted();
    return { why: whyUnwritable(error) };
  };

const failures = {
  moved: (shown: string) =>
    `Nothing was written: the path ${shown} leads elsewhere by now than when it was asked about. Look at it again before you retry.`,
  changed: (shown: string) =>
    `Nothing was written: ${shown} was changed after the change was worked out. Read it again before you retry.`,
} as const;

const lines = (count: number): string => `${count} line${count === 1 ? "" : "s"}`;
