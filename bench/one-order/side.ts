import { systemClock } from "../../src/lib/clock.ts";
import { type TestEditor, startEditor } from "../../test/e2e/acp/editor.ts";
import { type Thread, loadThread } from "../../test/e2e/acp/thread.ts";
import { type Chat, chatOn, promptOf } from "../../test/e2e/screen/tui.ts";
import { type Order, orderIn } from "./order.ts";
import type { World } from "./world.ts";

/** Somebody at the session: a terminal or an editor, with a process of its own that can be killed. */
export type Side = AsyncDisposable & {
  readonly name: string;
  say(word: string): void;
  /** It was not taken, because the session was busy elsewhere. */
  isRefused(word: string): boolean;
  seen(): Order;
  /** What it is not told, because it has said it itself. */
  readonly own: ReadonlySet<string>;
  /** It shows the whole session, not the last turns only. */
  readonly isWhole: boolean;
  kill(): Promise<void>;
};

/** `session`: goes on in it. */
export type SideMaker = (world: World, session?: string) => Promise<Side>;

/** Wide enough that no line is broken. */
const size = { columns: 160, rows: 40 };

export const screenSide =
  (name: string, also: Readonly<Record<string, string>> = {}): SideMaker =>
  async (world, session) => {
    const words = session === undefined ? [] : ["--resume", session];
    const chat = await chatOn({ world, cwd: world.cwd }, words, { ...size, env: also });
    const tries = new Map<string, number>();
    return {
      name,
      own: new Set(),
      isWhole: false,
      say(word) {
        tries.set(word, (tries.get(word) ?? 0) + 1);
        typeAnew(chat, word);
      },
      isRefused: (word) =>
        chat.all().split(`› ${word}\n  set aside, not sent`).length - 1 === (tries.get(word) ?? 0),
      seen: () => orderIn(chat.all()),
      async kill() {
        chat.kill("SIGKILL");
        await chat.exited;
      },
      [Symbol.asyncDispose]: () => chat[Symbol.asyncDispose](),
    };
  };

/** What was refused stands in the prompt again. */
function typeAnew(chat: Chat, word: string): void {
  if (promptOf(chat).includes(word)) return chat.press("enter");
  chat.say(word);
}

export const editorSide =
  (name: string): SideMaker =>
  async (world, session = "") => {
    const { program: command, cwd, env } = world;
    const editor = await startEditor({ command, args: ["acp"], cwd, env }, { patienceMs: forEver });
    const thread = await loadThread(editor, cwd, session);
    const own = new Set<string>();
    const refused = new Set<string>();
    return {
      name,
      own,
      isWhole: true,
      say(word) {
        own.add(word);
        refused.delete(word);
        void prompt(thread, word).then((taken) => (taken ? undefined : refused.add(word)));
      },
      isRefused: (word) => refused.has(word),
      seen: () => orderIn(shownBy(editor)),
      async kill() {
        process.kill(editor.pid, "SIGKILL");
        await editor.exited;
      },
      [Symbol.asyncDispose]: () => editor[Symbol.asyncDispose](),
    };
  };

/** A run at full size takes a while. */
const forEver = 24 * 60 * 60 * 1000;

/** False: it was not taken. What becomes of it otherwise is in the log. */
const prompt = (thread: Thread, word: string): Promise<boolean> =>
  thread.prompt(word).then(
    () => true,
    (error: Error) => !JSON.stringify([error.message, error]).includes("busy in another process"),
  );

/** As an editor would print it: words of the person as screens mark them, and each call once. */
function shownBy({ updates }: TestEditor): string {
  const calls = new Set<string>();
  return updates
    .map(({ update }) => {
      if (update.sessionUpdate === "user_message_chunk" && update.content.type === "text")
        return `\n› ${update.content.text}\n`;
      if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text")
        return update.content.text;
      if (update.sessionUpdate !== "tool_call" || calls.has(update.toolCallId)) return "";
      calls.add(update.toolCallId);
      return `\n${/paper\d+/.exec(JSON.stringify(update))?.[0] ?? ""}\n`;
    })
    .join("");
}

const patienceMs = 20_000;
const lookMs = 25;

/** False: it did not become so in time. */
export async function becomes(look: () => boolean): Promise<boolean> {
  const until = systemClock.monotonic() + patienceMs;
  while (!look()) {
    if (systemClock.monotonic() > until) return false;
    await systemClock.sleep(lookMs, undefined, { hold: true });
  }
  return true;
}
