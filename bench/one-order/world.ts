import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { systemClock } from "../../src/lib/clock.ts";
import type { DemoRequest } from "../../src/models/demo/demo-request.ts";
import type { Reply } from "../../src/models/demo/reply.ts";
import { startDemoModel } from "../../src/models/demo/server.ts";
import { tempFolder } from "../../test/temp-folder.ts";
import { numberOf } from "./order.ts";

/** A home of its own for the real program, on the loop, with a model that answers each word in its own way. */
export type World = AsyncDisposable & {
  readonly cwd: string;
  readonly program: string;
  readonly env: Readonly<Record<string, string>>;
  /** Resolves when the model is next asked. */
  asked(): Promise<void>;
  /** Of the next answer only the beginning comes. */
  stall(): void;
};

/** `words`: so many can be said. */
export async function newWorld(words: number): Promise<World> {
  await using parts = new AsyncDisposableStack();
  const { path: folder } = parts.use(await tempFolder());
  const [home, cwd, tmp] = [join(folder, "home"), join(folder, "work"), join(folder, "tmp")];
  for (const path of [home, cwd, tmp]) await mkdir(path, { mode: 0o700 });
  for (let number = 3; number <= words; number += 3)
    await writeFile(join(cwd, `paper${number}.txt`), "Nothing is written here.\n");
  let next = Promise.withResolvers<void>();
  let isStalled = false;
  const answer = (conversation: DemoRequest): Reply => {
    next.resolve();
    next = Promise.withResolvers<void>();
    const reply = replyTo(conversation);
    const given = isStalled ? { ...reply, delivery: { slowMs: forEver } } : reply;
    isStalled = false;
    return given;
  };
  const model = parts.use(await startDemoModel({ clock: systemClock, answer }));
  await writeFile(join(home, "config.yaml"), settings(model.url), { mode: 0o600 });
  const env = {
    PATH: process.env["PATH"] ?? "/usr/bin:/bin",
    HOME: folder,
    TALARIA_HOME: home,
    TMPDIR: tmp,
    NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] || join(folder, "cache"),
  };
  const kept = parts.move();
  return {
    cwd,
    program,
    env,
    asked: () => next.promise,
    stall: () => void (isStalled = true),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** Until whoever asked is gone. */
const forEver = 10 * 60_000;

const program = fileURLToPath(new URL("../../bin/talaria", import.meta.url));

/** No titles and no reviews: nothing but what was said is asked of the model. */
const settings = (url: string): string => `model: { provider: mine, default: gpt-5.5, openai_runtime: auto }
providers: { mine: { api: "${url}", protocol: responses } }
auxiliary: { title_generation: { enabled: false } }
memory: { nudge_interval: 0 }
skills: { creation_nudge_interval: 0 }
`;

/** Every second word is answered slowly, so that there is a middle to be killed in, and every third one after a call. */
function replyTo({ userTexts, results }: DemoRequest): Reply {
  const number = numberOf(userTexts.at(-1) ?? "");
  const delivery = number % 2 === 1 ? { delivery: { slowMs: 40 } } : {};
  if (number % 3 === 0 && results.length === 0) {
    const args = JSON.stringify({ path: `paper${number}.txt` });
    return { content: [{ kind: "call", tool: "read_file", args }], ...delivery };
  }
  return { content: [{ kind: "text", text: `This is answer${number} to you.` }], ...delivery };
}
