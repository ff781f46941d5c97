import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "../../src/lib/clock.ts";
import type { TestEditor } from "../../test/e2e/acp/editor.ts";
import { type Thread, loadThread, newThread } from "../../test/e2e/acp/thread.ts";
import { whenChanged } from "../../test/e2e/codex/watching.ts";
import { kill, killAll, leftIn, processesIn } from "./processes.ts";
import { answer, endlessWord } from "./script.ts";
import type { Side } from "./side.ts";

/** What became of a turn in which something was killed. */
export type Death = {
  /** What the editor got as the answer to its prompt. */
  readonly seen: string;
  readonly seenMs: number;
  /** Processes that are there a second later though nobody needs them. */
  readonly left: number;
  /** The next prompt is answered: of the same agent, or of a new one that has loaded the session. */
  readonly goesOn: boolean;
  /** And the new one shows what was said before. */
  readonly remembers?: boolean;
  /** Processes that are there when all is over. */
  readonly leftInTheEnd: number;
};

/** An editor that hears nothing for so long would be given up by its person. */
const patienceMs = 15_000;
const graceMs = 1_000;

/** Codex dies in the middle of a command. */
export async function codexKilled(side: Side): Promise<Death> {
  const death = await within(side, async (editor) => {
    const thread = await newThread(editor, side.place.cwd);
    await thread.prompt("hello");
    const codex = await inEndlessTurn(side, thread);
    const before = await isCodexOf(side);
    kill(before);
    const { seen, seenMs } = await codex;
    const all = await leftIn(side.place, 0);
    const needed = new Set([editor.pid]);
    const left = all.filter(({ pid, command }) => !needed.has(pid) && /sleep 60|touch begun/.test(command));
    return { seen, seenMs, left: left.length, goesOn: await isAnswered(thread) };
  });
  return { ...death, leftInTheEnd: await swept(side) };
}

/** The agent itself dies in the middle of a command, and the editor starts it again. */
export async function agentKilled(side: Side): Promise<Death> {
  const first = await within(side, async (editor) => {
    const thread = await newThread(editor, side.place.cwd);
    await thread.prompt("hello");
    const turn = await inEndlessTurn(side, thread);
    kill(editor.pid);
    const { seen, seenMs } = await turn;
    const left = await leftIn(side.place, graceMs);
    return { id: thread.id, seen, seenMs, left: left.length };
  });
  const { id, ...seen } = first;
  const next = await within(side, async (editor) => {
    const loaded = await loadThread(editor, side.place.cwd, id).catch(() => undefined);
    if (loaded === undefined) return { goesOn: false, remembers: false };
    const remembers = loaded.said().includes(answer);
    return { remembers, goesOn: await isAnswered(loaded) };
  });
  return { ...seen, ...next, leftInTheEnd: await swept(side) };
}

async function within<Result>(side: Side, work: (editor: TestEditor) => Promise<Result>): Promise<Result> {
  await using editor = await side.start();
  return await work(editor);
}

type Seen = Pick<Death, "seen" | "seenMs">;

/** Resolves when the command runs, with what the editor will see of its end. */
async function inEndlessTurn(side: Side, thread: Thread): Promise<Promise<Seen>> {
  const { cwd } = side.place;
  await rm(join(cwd, "begun"), { force: true });
  const told = thread.prompt(endlessWord).then(
    ({ stopReason }) => `stop reason ${stopReason}`,
    (error: Error) => `error: ${error.message}`,
  );
  await whenChanged(cwd, async () => (await readdir(cwd)).includes("begun"));
  const since = systemClock.monotonic();
  const nothing = systemClock.sleep(patienceMs, undefined, { hold: true }).then(() => "nothing");
  const seen = Promise.race([told, nothing]).then((what) => ({
    seen: what,
    seenMs: systemClock.monotonic() - since,
  }));
  return seen;
}

async function isCodexOf({ place }: Side): Promise<number> {
  const found = (await processesIn(place)).find(({ command }) => /codex\S* .*app-server/.test(command));
  if (found === undefined) throw new Error("codex does not run");
  return found.pid;
}

async function isAnswered(thread: Thread): Promise<boolean> {
  const before = thread.said().length;
  const late = systemClock.sleep(patienceMs, undefined, { hold: true }).then(() => undefined);
  const said = await Promise.race([thread.prompt("are you there?").catch(() => undefined), late]);
  return said?.stopReason === "end_turn" && thread.said().slice(before).includes(answer);
}

async function swept({ place }: Side): Promise<number> {
  const left = await leftIn(place, graceMs);
  killAll(left);
  return left.length;
}
