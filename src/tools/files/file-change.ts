import { realpath } from "node:fs/promises";
import { relative, resolve } from "node:path";
import { existing, followed, isInside } from "../../lib/sandbox/paths.ts";
import { cutMiddle } from "../cut-middle.ts";
import { type ApprovalRequest, type ToolContext, type ToolResult, failed } from "../tool.ts";
import { guardedText } from "./open-inside.ts";
import { isCredentialFile } from "./credential-file.ts";
import { type Replacement, replaceFile } from "./replace-file.ts";
import { type FileSnapshot, maxTextBytes, snapshotFile, whyUnwritable } from "./file-snapshot.ts";
import { unifiedDiff } from "./unified-diff.ts";

/** Makes the new text of a file from what is there now. `refused` is a sentence for the model. */
export type Edit = (
  before: Exclude<FileSnapshot, { kind: "refused" }>,
  shown: string,
) => { readonly text: string } | { readonly refused: string };

const maxDiffChars = 64 * 1024;

/**
 * What a tool that changes one file asks. The file is looked at now, so that the person sees the very change; what is
 * allowed is that change of that file, and if either is another one by then, nothing is written.
 */
export async function proposedChange(
  tool: string,
  path: string,
  { cwd, hidden = [] }: ToolContext,
  edit: Edit,
): Promise<ApprovalRequest> {
  const target = await writeTarget(cwd, path);
  if ("refused" in target) return target;
  if ((await existing(hidden)).some((place) => isInside(target.path, place)))
    return { refused: guardedText(path) };
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
  // Saying now what is wrong would reveal something of a file that nobody has allowed us to look at.
  return {
    ...asked,
    summary: `${tool} ${target.shown} (details not available)`,
    action: { kind: "change", changes: [{ path: target.path, kind: "update" }] },
    run: async () => failed(planned.refused),
  };
}

/** For the `run` of such a tool, which is never reached: `asks` gives the run that carries out what was approved. */
export const runOnlyApproved = (): Promise<ToolResult> =>
  Promise.resolve(failed("A file is changed only by what was asked about before."));

type Plan = Replacement & {
  readonly kind: "add" | "update";
  readonly diff: string;
  /** In words: how much would be changed. */
  readonly size: string;
};

async function plan({ path, shown }: WriteTarget, edit: Edit): Promise<Plan | { readonly refused: string }> {
  const before = await snapshotFile(path, shown);
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
  const shared = { path, text, version: before.kind === "file" ? before.version : undefined };
  if (before.kind === "file" && before.text === undefined)
    return { ...shared, ...overUnreadable(shown, text, before.version.size) };
  const oldText = before.kind === "file" ? before.text : undefined;
  const { text: diff, added, removed } = unifiedDiff(shown, oldText, text);
  const kind = before.kind === "file" ? "update" : "add";
  const size = kind === "add" ? `new, ${lines(added)}` : `+${added} -${removed} lines`;
  return { ...shared, kind, size, diff };
}

/** The old content is not text, so the diff only says how many bytes are replaced. */
function overUnreadable(shown: string, text: string, bytes: bigint): Pick<Plan, "kind" | "diff" | "size"> {
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
  if (typeof done !== "string") return failed(`${shown} was not written: ${done.why}.`);
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

/** Where something is to be written. */
type WriteTarget = {
  /** Where the path really leads: no symbolic link is left in it. */
  readonly path: string;
  /** Inside the working folder? */
  readonly inside: boolean;
  /** For people and models: from the working folder on, when it is inside. */
  readonly shown: string;
};

/** `refused` is a sentence for the model. Whether something is there already is not looked at. */
async function writeTarget(cwd: string, path: string): Promise<WriteTarget | { readonly refused: string }> {
  const bad = badName(path);
  if (bad !== undefined) return { refused: bad };
  const root = await realpath(cwd).catch(() => undefined);
  if (root === undefined) return { refused: `The working folder ${cwd} is gone or cannot be opened.` };
  const asked = resolve(cwd, path);
  const real = await followed(asked).catch((error: unknown) => ({ refused: unreachable(path, error) }));
  if (typeof real !== "string") return real;
  if (isCredentialFile(asked) || isCredentialFile(real)) {
    return { refused: `${path} holds credentials, and such files are not changed; ask the person to do it.` };
  }
  const inside = isInside(real, root);
  return { path: real, inside, shown: inside ? relative(root, real) : real };
}

function badName(path: string): string | undefined {
  if (path.includes("\0") || !path.isWellFormed())
    return "The path has a character that no file name can have.";
  if (/^~$|^~[\w-]*\//.test(path)) {
    return `${path} begins with a home folder's sign, which is not understood here. Give the path from the working folder on or from / on; a folder that is called so is reached by ./${path}.`;
  }
  return path.endsWith("/") ? `${path} names a folder, not a file.` : undefined;
}

const reasons: Readonly<Record<string, string>> = {
  ENOTDIR: "a part of the path is not a folder",
  EACCES: "this user may not look into a folder on the way",
  ELOOP: "it is a symbolic link that leads in a circle",
  ENOENT: "it is a symbolic link that leads through too many others",
  ENAMETOOLONG: "the path or a name in it is too long",
};

const unreachable = (path: string, error: unknown): string =>
  `${path.length > 300 ? `${path.slice(0, 300)}…` : path} cannot be written: ${reasons[codeOf(error) ?? ""] ?? String(error)}.`;

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;
