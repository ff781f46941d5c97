import assert from "node:assert/strict";
import {
  type ClientCapabilities,
  type ClientContext,
  type InitializeResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionNotification,
  client,
  methods,
  ndJsonStream,
} from "@agentclientprotocol/sdk";
import { type Child, type ChildExit, spawnChild } from "../../../src/lib/process/child.ts";
import { systemClock } from "../../../src/lib/clock.ts";

/** An agent as an editor would start it. */
export type AgentProgram = {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
};

export type EditorOptions = {
  readonly capabilities?: ClientCapabilities;
  /** Instead of waiting for `asked`. */
  readonly onAsk?: (request: RequestPermissionRequest) => Promise<RequestPermissionResponse>;
  /** How long the agent may live, if not two minutes. */
  readonly patienceMs?: number;
};

/** A question of the agent that waits for an answer. */
export type Asked = {
  readonly request: RequestPermissionRequest;
  /** One of the options by its id, or `cancelled`. */
  answer(choice: string): void;
  /** Aborts when the agent does not want to know any more. */
  readonly signal: AbortSignal;
};

/** An editor on the protocol's own library, with a real agent behind it. Disposing leaves no process. */
export type TestEditor = AsyncDisposable & {
  readonly agent: ClientContext;
  readonly introduced: InitializeResponse;
  readonly pid: number;
  readonly exited: Promise<ChildExit>;
  /** Everything that was heard of all sessions. */
  readonly updates: readonly SessionNotification[];
  /** Every line that came over stdout. */
  readonly lines: readonly string[];
  stderr(): string;
  /** Resolves with the first update that fits, past or to come. */
  hears(fits: (update: SessionNotification["update"]) => boolean): Promise<SessionNotification>;
  asked(): Promise<Asked>;
  /** Bytes past the library. */
  write(text: string): Promise<void>;
  closeInput(): void;
};

const patienceMs = 120_000;

export async function startEditor(program: AgentProgram, options: EditorOptions = {}): Promise<TestEditor> {
  await using parts = new AsyncDisposableStack();
  const child = parts.use(
    await spawnChild({
      ...program,
      kind: "agent",
      registry: { add: async () => {}, remove: async () => {} },
      signal: AbortSignal.timeout(options.patienceMs ?? patienceMs),
      clock: systemClock,
      grace: { inputMs: 1000, termMs: 2000 },
    }),
  );
  const heard = newsOf();
  const asks = queueOf<Asked>();
  const lines: string[] = [];
  const connection = client({ name: "test editor" })
    .onNotification(methods.client.session.update, ({ params }) => heard.add(params))
    .onRequest(methods.client.session.requestPermission, ({ params: request, signal }) => {
      if (options.onAsk !== undefined) return options.onAsk(request);
      const answered = Promise.withResolvers<RequestPermissionResponse>();
      const answer = (choice: string): void => answered.resolve({ outcome: outcomeOf(choice) });
      asks.add({ request, answer, signal });
      return answered.promise;
    })
    .connect(ndJsonStream(inputOf(child), ReadableStream.from(taped(child.stdout, lines))));
  const { agent } = connection;
  const introduced = await agent.request(methods.agent.initialize, {
    protocolVersion: 1,
    clientInfo: { name: "test editor", version: "1" },
    clientCapabilities: options.capabilities ?? {},
  });
  const kept = parts.move();
  return {
    agent,
    introduced,
    pid: child.pid,
    exited: child.exited,
    updates: heard.all,
    lines,
    stderr: () => child.stderrTail(),
    hears: heard.first,
    asked: asks.take,
    write: (text) => child.write(text),
    closeInput: () => void child.closeInput(),
    async [Symbol.asyncDispose]() {
      await kept.disposeAsync();
      for (const line of lines) assert.equal(protocolOf(line), "2.0", `not a message: ${line.slice(0, 200)}`);
    },
  };
}

const outcomeOf = (choice: string): RequestPermissionResponse["outcome"] =>
  choice === "cancelled" ? { outcome: "cancelled" } : { outcome: "selected", optionId: choice };

function protocolOf(line: string): unknown {
  try {
    return (JSON.parse(line) as { readonly jsonrpc?: unknown }).jsonrpc;
  } catch {
    return undefined;
  }
}

const inputOf = (child: Child): WritableStream<Uint8Array> => {
  const decoder = new TextDecoder();
  return new WritableStream({ write: (bytes) => child.write(decoder.decode(bytes)) });
};

async function* taped(source: AsyncIterable<Uint8Array>, lines: string[]): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of source) {
    const whole = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = whole.pop() ?? "";
    lines.push(...whole);
    yield chunk;
  }
  if (rest !== "") lines.push(rest);
}

type Update = SessionNotification["update"];

function newsOf() {
  const all: SessionNotification[] = [];
  const waiting = new Set<(news: SessionNotification) => void>();
  return {
    all,
    add(news: SessionNotification): void {
      all.push(news);
      for (const tell of waiting) tell(news);
    },
    first(fits: (update: Update) => boolean): Promise<SessionNotification> {
      const past = all.find(({ update }) => fits(update));
      if (past !== undefined) return Promise.resolve(past);
      const { promise, resolve } = Promise.withResolvers<SessionNotification>();
      const tell = (news: SessionNotification): void => {
        if (!fits(news.update)) return;
        waiting.delete(tell);
        resolve(news);
      };
      waiting.add(tell);
      return promise;
    },
  };
}

function queueOf<Item>() {
  const ready: Item[] = [];
  const waiting: ((item: Item) => void)[] = [];
  return {
    add(item: Item): void {
      const first = waiting.shift();
      if (first === undefined) ready.push(item);
      else first(item);
    },
    async take(): Promise<Item> {
      const first = ready.shift();
      return first ?? (await new Promise<Item>((resolve) => waiting.push(resolve)));
    },
  };
}
