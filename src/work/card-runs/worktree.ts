import { mkdir, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { Git } from "../../lib/git.ts";

/** A git worktree for one card. `git` runs in the repository that it belongs to, and none of that one's programs. */
export type Worktree = { readonly path: string; readonly branch: string; readonly git: Git };

/** What an attempt has left, on its branch. `tree` is the same for the same content. */
export type Committed = {
  readonly branch: string;
  readonly commit: string;
  readonly tree: string;
  /** Against where the branch began. */
  readonly changed: string;
};

/** Says that it was made to the end. It is not in the worktree itself, where whoever works there could write it. */
const mark = "talaria-ready";

/** Makes it, if it is not there. The branch is made with it, or is one of an earlier attempt. */
export async function addWorktree({ path, branch, git }: Worktree): Promise<void> {
  const folder = await commonFolder(git);
  const admin = join(folder, "worktrees", basename(path));
  if ((await has(path)) && (await has(join(admin, mark)))) return;
  // A crash has come between: nobody has worked there yet.
  await rm(path, { recursive: true, force: true });
  await must(git(["worktree", "prune"]));
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const known = await git(["show-ref", "--verify", "--quiet", `refs/heads/${branch}`]);
  await must(
    git(["worktree", "add", "--quiet", ...(known.code === 0 ? [path, branch] : ["-b", branch, path])]),
  );
  await writeFile(join(await adminFolder(git, path), mark), "", { mode: 0o600 });
}

/** Whatever lies about in it becomes a commit. */
export async function commitWorktree({ path, branch, git }: Worktree, message: string): Promise<Committed> {
  const at = await named(git, path);
  await dropLocks(git, path, branch);
  await must(git([...at, "add", "--all"]));
  const staged = await git([...at, "diff", "--cached", "--quiet"]);
  if (staged.code !== 0)
    await must(git([...at, ...identity, "commit", "--quiet", "--no-verify", "-m", message]));
  const [commit = "", tree = ""] = (await must(git([...at, "rev-parse", "HEAD", "HEAD^{tree}"]))).split("\n");
  const base = (await git([...at, "merge-base", "HEAD", await head(git)])).stdout.trim();
  const changed = base === "" ? "" : await must(git([...at, "diff", "--stat", base, "HEAD"], 20_000));
  return { branch, commit, tree, changed: changed.trim() };
}

/** Is there anything in it that is in no commit? */
export async function isDirty({ path, git }: Worktree): Promise<boolean> {
  return (await must(git([...(await named(git, path)), "status", "--porcelain"]))).trim() !== "";
}

/** Is all of its branch in what the repository has checked out? */
export const isMerged = async ({ branch, git }: Worktree): Promise<boolean> =>
  (await git(["merge-base", "--is-ancestor", branch, "HEAD"])).code === 0;

/** The branch stays. */
export async function removeWorktree({ path, git }: Worktree): Promise<void> {
  await must(git(["worktree", "remove", "--force", path]));
}

/** Commits are not the person's own work, and say so. */
const identity = [
  "-c",
  "user.name=Talaria",
  "-c",
  "user.email=talaria@localhost",
  "-c",
  "commit.gpgSign=false",
];

/** By name, and not by the file `.git` in the worktree: whoever works there could have made that point elsewhere. */
const named = async (git: Git, path: string): Promise<readonly string[]> => [
  "-C",
  path,
  `--git-dir=${await adminFolder(git, path)}`,
  `--work-tree=${path}`,
];

/** Where the repository keeps what belongs to this worktree alone. */
async function adminFolder(git: Git, path: string): Promise<string> {
  const admin = join(await commonFolder(git), "worktrees", basename(path));
  const points = await readFile(join(admin, "gitdir"), "utf8").catch(() => "");
  if (dirname(points.trim()) === (await realpath(path))) return admin;
  throw new Error(`${path} is not a worktree of this repository`);
}

async function commonFolder(git: Git): Promise<string> {
  const top = (await must(git(["rev-parse", "--show-toplevel"]))).trim();
  return resolve(top, (await must(git(["rev-parse", "--git-common-dir"]))).trim());
}

const head = async (git: Git): Promise<string> => (await must(git(["rev-parse", "HEAD"]))).trim();

/** Of a git that was killed. Nobody else has the card, so nobody else works in it. */
async function dropLocks(git: Git, path: string, branch: string): Promise<void> {
  const admin = await adminFolder(git, path);
  const locks = ["index.lock", "HEAD.lock"].map((name) => join(admin, name));
  for (const lock of [...locks, join(await commonFolder(git), "refs", "heads", `${branch}.lock`)])
    await rm(lock, { force: true });
}

const has = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

async function must(running: ReturnType<Git>): Promise<string> {
  const { code, stdout, stderr, timedOut } = await running;
  if (code === 0) return stdout;
  throw new Error(timedOut ? "git took too long" : `git: ${stderr.trim().slice(-500) || `exit ${code}`}`);
}
