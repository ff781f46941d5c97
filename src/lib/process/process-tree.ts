import type { Clock } from "../clock.ts";
import { isAlive } from "./process-identity.ts";
import type { ProcessIdentity } from "./process-identity.ts";
import { type Mark, hasMark, markedProcesses } from "./process-mark.ts";
import { processRows } from "./process-table.ts";
import type { ProcessRow } from "./process-table.ts";

const pollMs = 20;
const killMs = 5_000;
export const defaultTermMs = 2_000;

/** A process that leads its own group, with all that came from it. Remembers whom it saw, even if their parents end. */
export type ProcessTree = {
  /** Call with `leaderEnded` in the tick in which the end was noticed: its pid cannot be anybody else's yet. */
  look(options?: { readonly leaderEnded?: boolean }): void;
  signal(name: NodeJS.Signals): void;
  isGone(): boolean;
};

/**
 * Its members: the group and session that the root leads, the descendants of these, who may have left both, and who
 * carries its mark. Nobody is taken for a member by pid alone. Without a mark one is missed: who left the group and lost
 * its parent before anybody looked.
 */
export function processTree(root: ProcessIdentity & { readonly mark?: Mark }): ProcessTree {
  const known = new Map([[root.pid, root.startTime]]);

  function look(options: { readonly leaderEnded?: boolean } = {}): readonly ProcessRow[] {
    const rows = processRows().filter((row) => !row.zombie);
    const seen = rows.filter((row) => known.get(row.pid) === row.startTime);
    // While one of ours is in it, no one else can have the group's or session's number.
    const ours = options.leaderEnded === true || seen.some((row) => leads(root, row));
    const led = ours ? rows.filter((row) => leads(root, row)) : [];
    const { mark } = root;
    const marked =
      mark === undefined ? [] : rows.filter(({ pid }) => pid !== process.pid && hasMark(pid, mark));
    const members = withDescendants([...seen, ...led, ...marked], rows);
    for (const { pid, startTime } of members) known.set(pid, startTime);
    return members;
  }

  return {
    look: (options) => void look(options),
    signal(name) {
      const members = look();
      if (members.some(({ pid }) => pid === process.pid)) return; // never ourselves
      // A signal to the group also reaches processes that are being forked at this moment.
      if (members.some(({ group }) => group === root.pid)) send(-root.pid, name);
      for (const { pid, group } of members) if (group !== root.pid) send(pid, name);
    },
    isGone() {
      const someoneLeft = [...known].some(([pid, startTime]) => isAlive({ pid, startTime }));
      return !someoneLeft && look().length === 0;
    },
  };
}

/** Asks the tree to end, then makes it. False: something is left that even SIGKILL did not end. */
export async function endTree(tree: ProcessTree, clock: Clock, termMs = defaultTermMs): Promise<boolean> {
  if (tree.isGone()) return true;
  return (
    (await signalUntilGone(tree, "SIGTERM", termMs, clock)) || signalUntilGone(tree, "SIGKILL", killMs, clock)
  );
}

/** Ends the tree of the process with this identity. If that is gone, nobody is signalled: its pid may be another's now. */
export const killTree = (identity: ProcessIdentity, clock: Clock): Promise<boolean> =>
  endTree(processTree(identity), clock);

/** Ends what is left of processes that somebody recorded. Resolves with the records that need not be kept. */
export async function sweep<Record extends ProcessIdentity>(
  records: readonly Record[],
  clock: Clock,
): Promise<readonly Record[]> {
  const gone = await Promise.all(records.map((record) => killTree(record, clock)));
  return records.filter((_, index) => gone[index]);
}

/** Ends everybody whose mark begins so. Resolves when they are gone, or could not be ended. */
export async function sweepMarked(beginning: string, clock: Clock): Promise<void> {
  await Promise.all(markedProcesses(beginning).map((process) => killTree(process, clock)));
}

const leads = (root: ProcessIdentity, row: ProcessRow): boolean =>
  row.group === root.pid || row.session === root.pid;

function withDescendants(first: readonly ProcessRow[], rows: readonly ProcessRow[]): readonly ProcessRow[] {
  const children = Map.groupBy(rows, (row) => row.parent);
  const members = new Set(first);
  for (const member of members) for (const child of children.get(member.pid) ?? []) members.add(child);
  return [...members];
}

async function signalUntilGone(
  tree: ProcessTree,
  name: NodeJS.Signals,
  ms: number,
  clock: Clock,
): Promise<boolean> {
  tree.signal(name);
  for (const end = clock.monotonic() + ms; clock.monotonic() < end;) {
    await clock.sleep(pollMs, undefined, { hold: true });
    if (tree.isGone()) return true;
  }
  return false;
}

function send(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // Gone already, or not ours to signal: `isGone` tells.
  }
}
