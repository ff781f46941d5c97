import { type Child, spawnChild } from "../../src/lib/process/child.ts";
import { systemClock } from "../../src/lib/clock.ts";
import type { Launch } from "../../src/runtimes/codex/process/launch.ts";

/** The least that runs turns on codex: no store, no checks, no second thought. What it costs is codex's own. */
export type ThinDriver = AsyncDisposable & {
  readonly pid: number;
  startThread(params: object): Promise<string>;
  turn(threadId: string, text: string): Promise<Moments>;
};

/** In the time of the clock. */
type Moments = {
  readonly asked: number;
  readonly started: number;
  readonly text: number;
  readonly ended: number;
  readonly status: string;
};

export async function thinDriver(
  launch: Launch,
  capabilities: object = { experimentalApi: true },
): Promise<ThinDriver> {
  const child = await spawnChild({
    command: launch.command,
    args: launch.args,
    env: launch.env,
    cwd: "/",
    kind: "codex",
    registry: { add: async () => {}, remove: async () => {} },
    clock: systemClock,
    grace: { inputMs: 6_000 },
  });
  const replies = new Map<number, (reply: Message) => void>();
  const ends = new Map<string, (status: string) => void>();
  const texts = new Map<string, number>();
  void read(child, (message) => {
    if (message.method === undefined) return replies.get(message.id ?? -1)?.(message);
    if (message.id !== undefined) return void child.write(refusal(message.id));
    const { threadId = "", turn, item } = message.params ?? {};
    if (message.method === "turn/completed") ends.get(threadId)?.(turn?.status ?? "");
    if (message.method === "item/completed" && item?.type === "agentMessage")
      texts.set(threadId, systemClock.monotonic());
  });

  let last = 0;
  async function ask(method: string, params: object): Promise<Result> {
    const id = (last += 1);
    const { promise, resolve } = Promise.withResolvers<Message>();
    replies.set(id, resolve);
    await child.write(`${JSON.stringify({ id, method, params })}\n`);
    const { result, error } = await promise;
    replies.delete(id);
    if (result === undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  }

  const clientInfo = { name: "bench", title: "bench", version: "0" };
  await ask("initialize", { clientInfo, capabilities });
  await child.write('{"method":"initialized"}\n');
  return {
    pid: child.pid,
    startThread: async (params) => (await ask("thread/start", params)).thread?.id ?? "",
    async turn(threadId, text) {
      const asked = systemClock.monotonic();
      const { promise, resolve } = Promise.withResolvers<string>();
      ends.set(threadId, resolve);
      await ask("turn/start", { threadId, input: [{ type: "text", text }] });
      const started = systemClock.monotonic();
      const status = await promise;
      const ended = systemClock.monotonic();
      return { asked, started, text: texts.get(threadId) ?? ended, ended, status };
    },
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}

type Result = { readonly thread?: { readonly id?: string } };

type Message = {
  readonly id?: number;
  readonly method?: string;
  readonly params?: {
    readonly threadId?: string;
    readonly turn?: { readonly status?: string };
    readonly item?: { readonly type?: string };
  };
  readonly result?: Result;
  readonly error?: unknown;
};

async function read(child: Child, take: (message: Message) => void): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of child.stdout) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) take(JSON.parse(line) as Message);
  }
}

const refusal = (id: number): string =>
  `${JSON.stringify({ id, error: { code: -32601, message: "nobody answers here" } })}\n`;
