import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "../../src/lib/clock.ts";
import { noLongerNeeded } from "../../src/lib/no-longer-needed.ts";
import type { TestEditor } from "../../test/e2e/acp/editor.ts";
import { type Thread, loadThread, newThread } from "../../test/e2e/acp/thread.ts";
import { whenChanged } from "../../test/e2e/codex/watching.ts";
import { kill, killAll, leftIn, processesIn } from "./processes.ts";
import { answer, endlessWord, finishedWord } from "./script.ts";
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
  /** What the new one shows: of the turn before, and of the one that was cut, what had been finished. */
  readonly remembers?: { readonly before: boolean; readonly finished: boolean };
  /** Processes that are there when all is over. */
  readonly leftInTheEnd: number;
};

/** An editor that hears nothing for so long would be given up by its person. */
const patienceMs = 15_000;
const graceMs = 1_000;

export type CodexAndEditor = { readonly codexKilled: Death; readonly editorGone: Leaving };

/** Codex dies in the middle of a command; and when the same agent has gone on, its editor leaves in the middle of another. */
export async function codexThenEditorGone(side: Side): Promise<CodexAndEditor> {
  const { leaving, ...death } = await within(side, async (editor) => {
    const thread = await newThread(editor, side.place.cwd);
    await thread.prompt("hello");
    const turn = await inEndlessTurn(side, thread);
    const codex = await codexOf(side);
    turn.cut(() => kill(codex));
    const seen = await turn.seen;
    const left = await leftIn(
      side.place,
      graceMs,
      ({ pid, command }) => pid === codex || isOfTurn.test(command),
    );
    const goesOn = await isAnswered(thread);
    return { ...seen, left: left.length, goesOn, leaving: await editorGone(side, editor, thread) };
  });
  const left = await swept(side);
  return { codexKilled: { ...death, leftInTheEnd: left }, editorGone: { ...leaving, left } };
}

/** The agent itself dies in the middle of a command, and the editor starts it again. */
export async function agentKilled(side: Side): Promise<Death> {
  const first = await within(side, async (editor) => {
    const thread = await newThread(editor, side.place.cwd);
    await thread.prompt("hello");
    const turn = await inEndlessTurn(side, thread);
    turn.cut(() => kill(editor.pid));
    const seen = await turn.seen;
    const left = await leftIn(side.place, graceMs);
    return { id: thread.id, ...seen, left: left.length };
  });
  const { id, ...seen } = first;
  const next = await within(side, async (editor) => {
    const loaded = await loadThread(editor, side.place.cwd, id).catch(() => undefined);
    if (loaded === undefined) return { goesOn: false, remembers: { before: false, finished: false } };
    const before = loaded.said().includes(answer);
    const finished = loaded
      .calls()
      .some(({ title, rawInput, status }) => status === "completed" && isFinishedOne({ title, rawInput }));
    return { remembers: { before, finished }, goesOn: await isAnswered(loaded) };
  });
  return { ...seen, ...next, leftInTheEnd: await swept(side) };
}

/** What became of an agent whose editor has closed its input in the middle of a command. */
export type Leaving = {
  readonly exitedMs: number;
  /** `null`: it had to be killed. */
  readonly code: number | null;
  readonly left: number;
};

async function editorGone(side: Side, editor: TestEditor, thread: Thread): Promise<Omit<Leaving, "left">> {
  const turn = await inEndlessTurn(side, thread);
  const since = systemClock.monotonic();
  turn.cut(() => editor.closeInput());
  const exit = await orLate<{ readonly code: number | null }>(editor.exited, { code: null });
  return { exitedMs: systemClock.monotonic() - since, code: exit.code };
}

/** The agents call it differently, and both say what was run. */
const isFinishedOne = (call: object): boolean => JSON.stringify(call).includes(`echo ${finishedWord}`);

async function within<Result>(side: Side, work: (editor: TestEditor) => Promise<Result>): Promise<Result> {
  await using editor = await side.start();
  return await work(editor);
}

type Seen = Pick<Death, "seen" | "seenMs">;

type CutTurn = {
  /** Does it, and counts from then on. */
  cut(deed: () => void): void;
  readonly seen: Promise<Seen>;
};

/** Resolves when the command runs. */
async function inEndlessTurn({ place }: Side, thread: Thread): Promise<CutTurn> {
  const { cwd } = place;
  await rm(join(cwd, "begun"), { force: true });
  const told = thread.prompt(endlessWord).then(
    ({ stopReason }) => `stop reason ${stopReason}`,
    (error: Error) => `error: ${error.message}`,
  );
  await whenChanged(cwd, async () => (await readdir(cwd)).includes("begun"));
  const done = Promise.withResolvers<number>();
  return {
    cut(deed) {
      done.resolve(systemClock.monotonic());
      deed();
    },
    seen: done.promise.then(async (since) => {
      const seen = await orLate(told, "nothing");
      return { seen, seenMs: systemClock.monotonic() - since };
    }),
  };
}

/** What comes of it, or `otherwise` when nothing does for too long. */
async function orLate<Value>(work: Promise<Value>, otherwise: Value): Promise<Value> {
  const over = new AbortController();
  const late = systemClock.sleep(patienceMs, over.signal, { hold: true }).then(
    () => otherwise,
    () => otherwise,
  );
  try {
    return await Promise.race([work, late]);
  } finally {
    over.abort(noLongerNeeded);
  }
}

/** The command of the turn and what it has started. */
const isOfTurn = /sleep 60\d|touch begun/;

async function codexOf({ place }: Side): Promise<number> {
  const found = (await processesIn(place)).find(({ command }) => /codex\S* .*app-server/.test(command));
  if (found === undefined) throw new Error("codex does not run");
  return found.pid;
}

async function isAnswered(thread: Thread): Promise<boolean> {
  const before = thread.said().length;
  const said = await orLate(
    thread.prompt("are you there?").catch(() => undefined),
    undefined,
  );
  return said?.stopReason === "end_turn" && thread.said().slice(before).includes(answer);
}

async function swept({ place }: Side): Promise<number> {
  const left = await leftIn(place, graceMs);
  killAll(left);
  return left.length;
}
