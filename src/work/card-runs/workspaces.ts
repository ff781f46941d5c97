import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Card, CardId, Workspace } from "../../core/cards/cards.ts";
import type { Clock } from "../../lib/clock.ts";
import { readOnlyGit } from "../../lib/git.ts";
import type { Variables } from "../../lib/process/variables.ts";
import {
  type Committed,
  type Worktree,
  addWorktree,
  commitWorktree,
  isDirty,
  isMerged,
  removeWorktree,
} from "./worktree.ts";

/** Where a card is worked on. */
export type Place = {
  readonly kind: "scratch" | "folder" | "worktree";
  readonly path: string;
  readonly branch?: string;
};

type Placed = Pick<Card, "id" | "workspace">;

export type Workspaces = {
  placeOf(card: Placed): Place;
  /** Makes it, if it is not there. Rejects with what is wrong with it. */
  prepare(card: Placed, signal: AbortSignal): Promise<void>;
  /** Whatever lies about in a worktree becomes a commit. Other places have none. */
  commit(card: Placed, message: string, signal: AbortSignal): Promise<Committed | undefined>;
  /** Ids of cards that have a folder of ours. */
  list(): Promise<readonly CardId[]>;
  /** Why it has to stay; `undefined`: nothing would be lost. */
  whyKept(card: Placed & Pick<Card, "state">, signal: AbortSignal): Promise<string | undefined>;
  /** The branch of a worktree stays. */
  remove(card: Placed, signal: AbortSignal): Promise<void>;
};

export type WorkspaceDeps = {
  /** Not among temporary files, and not in Talaria's own home, of which nothing that a model runs may see anything. */
  readonly root: string;
  readonly env: Variables;
  readonly clock: Clock;
};

/** A large repository takes its time. */
const patienceMs = 10 * 60_000;

export function workspaces({ root, env, clock }: WorkspaceDeps): Workspaces {
  const placeOf: Workspaces["placeOf"] = ({ id, workspace }) => {
    const { kind, given } = parts(workspace);
    if (kind === "folder") return { kind, path: given };
    return { kind, path: join(root, id), ...(kind === "worktree" ? { branch: `card/${id}` } : {}) };
  };
  const worktreeOf = async (card: Placed, signal: AbortSignal): Promise<Worktree> => {
    const { given } = parts(card.workspace);
    const git = await readOnlyGit(given, env, clock, signal, patienceMs);
    if (git === undefined) throw new Error("there is no git here");
    const { path, branch = "" } = placeOf(card);
    return { path, branch, git };
  };
  return {
    placeOf,
    async prepare(card, signal) {
      const { kind, path } = placeOf(card);
      if (kind === "scratch") await mkdir(path, { recursive: true, mode: 0o700 });
      if (kind !== "worktree") return requireFolder(path);
      await requireFolder(parts(card.workspace).given);
      await addWorktree(await worktreeOf(card, signal));
    },
    async commit(card, message, signal) {
      if (placeOf(card).kind !== "worktree") return undefined;
      return commitWorktree(await worktreeOf(card, signal), message);
    },
    async list() {
      const names = await readdir(root).catch((): readonly string[] => []);
      return names.filter((name) => /^t_[0-9a-f]+$/.test(name)).map((name) => name as CardId);
    },
    async whyKept(card, signal) {
      const { state } = card;
      const isWorktree = placeOf(card).kind === "worktree";
      if (state !== "archived" && !(state === "done" && isWorktree)) return `the card is ${state}`;
      if (!isWorktree) return undefined;
      const worktree = await worktreeOf(card, signal);
      if (await isDirty(worktree)) return "something in it is in no commit";
      return state === "archived" || (await isMerged(worktree))
        ? undefined
        : `${worktree.branch} is not merged`;
    },
    async remove(card, signal) {
      const { kind, path } = placeOf(card);
      if (kind === "scratch") await rm(path, { recursive: true, force: true });
      if (kind === "worktree") await removeWorktree(await worktreeOf(card, signal));
    },
  };
}

function parts(workspace: Workspace): { readonly kind: Place["kind"]; readonly given: string } {
  if (workspace === "scratch") return { kind: "scratch", given: "" };
  const at = workspace.indexOf(":");
  return { kind: workspace.slice(0, at) as "folder" | "worktree", given: workspace.slice(at + 1) };
}

async function requireFolder(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() !== true) throw new Error(`the folder ${path} is not there any more`);
}
