import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import type { Calls } from "../../core/calls.ts";
import type { Diff } from "../../core/host.ts";
import type { SessionId } from "../../core/ids.ts";
import type { CallItem } from "../../core/items.ts";
import type { Clock } from "../../lib/clock.ts";
import { type Git, readOnlyGit } from "../../lib/git.ts";
import type { Store } from "../../store/store.ts";
import { unifiedDiff } from "../../tools/files/unified-diff.ts";
import type { Closing } from "../closing.ts";
import type { Foundation } from "../foundation.ts";

const mostBytes = 1024 * 1024;
/** No secret is longer: what stands so near to where the output was cut may be half of one. */
const longestSecret = 64 * 1024;
const mostUntracked = 50;
const untrackedBytes = 64 * 1024;

type Needs = Pick<Foundation, "redact" | "store" | "env" | "clock"> & { readonly closing: Closing };

/** What has changed, as surfaces see it: secrets masked. */
export const diffAccess =
  ({ redact, store, env, clock, closing }: Needs): Calls["diff.show"] =>
  async (of) => {
    const { text, note } =
      of.what === "folder"
        ? await closing.track(folderDiff(of.cwd, env, clock, closing.signal, redact))
        : await callDiff(store, of.session, of.what);
    return { text: redact(text), ...(note === undefined ? {} : { note }) };
  };

/** What is different in the work tree around a folder since its last commit. Runs nothing that the repository names. */
export async function folderDiff(
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
  clock: Clock,
  signal: AbortSignal,
  mask: (text: string) => string = (text) => text,
): Promise<Diff> {
  const git = await readOnlyGit(cwd, env, clock, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    return String(error instanceof Error ? error.message : error);
  });
  if (git === undefined) return none(`Git is not installed here. ${instead}`);
  if (typeof git === "string") return none(`Git cannot be used in ${cwd}: ${git}. ${instead}`);
  const top = await git(["rev-parse", "--show-toplevel"]);
  if (top.code !== 0) return none(`${notThere(cwd, top.stderr)} ${instead}`);
  const tracked = await git([...diffArgs, await lastCommit(git), "--"], mostBytes + longestSecret);
  if (tracked.timedOut) return none(`Git did not answer in time. ${instead}`);
  if (tracked.code !== 0) return none(`Git could not compare: ${firstLine(tracked.stderr)}. ${instead}`);
  const untracked = await untrackedFiles(git, top.stdout.replace(/\n$/, ""));
  const text = mask(tracked.truncated ? tracked.stdout : tracked.stdout + untracked.text);
  const room = tracked.truncated ? Math.min(mostBytes, text.length - longestSecret) : mostBytes;
  const cut = text.length > room;
  const notes = [...(cut ? ["It is cut: only its first MiB is shown."] : []), ...untracked.notes];
  const shown = text.slice(0, room).toWellFormed();
  return { text: shown, ...(notes.length === 0 ? {} : { note: notes.join(" ") }) };
}

const instead = "`/diff session` shows what the calls of this session changed.";

const none = (note: string): Diff => ({ text: "", note });

const notThere = (cwd: string, stderr: string): string =>
  stderr.includes("not a git repository")
    ? `${cwd} is not in a git repository.`
    : `${cwd} has no work tree that git would show: ${firstLine(stderr)}.`;

const firstLine = (text: string): string => text.trim().split("\n", 1)[0]?.slice(0, 300) ?? "";

/** Whatever the person has set, the output is plain. A submodule's own files would be compared by its own settings. */
const diffArgs = [
  "diff",
  "--no-ext-diff",
  "--no-textconv",
  "--no-color",
  "--no-relative",
  "--src-prefix=a/",
  "--dst-prefix=b/",
  "--submodule=short",
  "--ignore-submodules=dirty",
];

/** Without a commit everything is new: compared with the tree that has no files. */
async function lastCommit(git: Git): Promise<string> {
  const head = await git(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
  if (head.code === 0) return head.stdout.trim();
  return (await git(["hash-object", "-t", "tree", "--stdin"])).stdout.trim();
}

type Untracked = { readonly text: string; readonly notes: readonly string[] };

async function untrackedFiles(git: Git, top: string): Promise<Untracked> {
  const listed = await git(["ls-files", "--others", "--exclude-standard", "--full-name", "-z", "--", ":/"]);
  const names = listed.stdout.split("\0").filter((name) => name !== "");
  const texts = await Promise.all(
    names.slice(0, mostUntracked).map(async (name) => ({ name, text: await smallText(join(top, name)) })),
  );
  const shown = texts.flatMap(({ name, text }) => (text === undefined ? [] : [addedFile(name, text)]));
  const hidden = [
    ...texts.flatMap(({ name, text }) => (text === undefined ? [name] : [])),
    ...names.slice(mostUntracked),
  ];
  if (hidden.length === 0) return { text: shown.join(""), notes: [] };
  const some = hidden.slice(0, 10).map((name) => JSON.stringify(name));
  const more = hidden.length > some.length ? ` and ${hidden.length - some.length} more` : "";
  return {
    text: shown.join(""),
    notes: [`New and not shown (large, not text, or too many): ${some.join(", ")}${more}.`],
  };
}

function addedFile(name: string, text: string): string {
  return unifiedDiff(`b/${name}`, undefined, text).text;
}

/** Undefined: it is no small text. A link is not followed. */
async function smallText(path: string): Promise<string | undefined> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const found = await file.stat();
    if (!found.isFile() || found.size >= untrackedBytes) return undefined;
    const bytes = Buffer.alloc(untrackedBytes);
    const { bytesRead } = await file.read(bytes, 0, untrackedBytes, 0);
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, bytesRead));
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

/** What calls of the last turn, or of all turns, have changed, one after the other. */
export async function callDiff(store: Store, session: SessionId, what: "turn" | "session"): Promise<Diff> {
  const { sessions } = store;
  const meant = await (what === "turn" ? sessions.lastTurns(session, 1) : sessions.turns(session));
  if (meant.length === 0) return { text: "", note: "No turn has run in this session yet." };
  const items = (await Promise.all(meant.map(({ id }) => store.turns.items(id)))).flat();
  const calls = items.filter((item) => item.kind === "call");
  const text = calls.flatMap(({ ok, diff }) => (ok && diff !== undefined ? [ended(diff)] : [])).join("");
  const note = [
    ...(text === "" ? [`No call of this ${what} has changed a file in a way that can be seen.`] : []),
    ...commandNote(calls),
  ].join(" ");
  return { text, ...(note === "" ? {} : { note }) };
}

const ended = (diff: string): string => (diff.endsWith("\n") ? diff : `${diff}\n`);

/** Tools that run commands, ours and codex's: nobody knows what those change. */
const runners: ReadonlySet<string> = new Set(["terminal", "exec_command"]);

function commandNote(calls: readonly CallItem[]): readonly string[] {
  const count = calls.filter(({ tool }) => runners.has(tool)).length;
  if (count === 0) return [];
  const many = count === 1 ? "1 command ran, and what it" : `${count} commands ran, and what they`;
  return [`${many} changed cannot be seen here; \`/diff\` shows the folder, if it is in a git repository.`];
}
