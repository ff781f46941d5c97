import type { FaultAction, FaultKind } from "./fault-kinds.ts";
import { parseAction } from "./fault-kinds.ts";
import type { Fault } from "./fault-kinds.ts";
import { garbageLines } from "./ids.ts";
import type { FakeIo } from "./io.ts";

export type Message = Readonly<Record<string, unknown>>;

/** What a client said to a request of ours. */
export type Answer = { readonly result: unknown } | { readonly error: unknown };

/** The way out: one frame after the other, each with the faults that the script puts on it. */
export type Wire = {
  /** `event` is the method of the frame, or of what it answers. Resolves when the frame is out, or given up. */
  put(event: string, message: Message): Promise<void>;
  /** A request to the client. */
  ask(
    method: string,
    params: object,
  ): { readonly id: number; readonly sent: Promise<void>; readonly answer: Promise<Answer> };
  /** False: nobody waits for that answer. */
  answered(id: unknown, answer: Answer): boolean;
  /** Faults that the next frame of this event will have. */
  coming(event: string): readonly FaultKind[];
  note(message: object): void;
  /** Resolves when a fault has ended the process. */
  readonly ended: Promise<WireEnd>;
  /** Aborts when nothing more may be read. */
  readonly deaf: AbortSignal;
};

export type WireEnd = { readonly exit: number } | { readonly signal: "SIGKILL" };

export type WireOptions = {
  readonly io: FakeIo;
  readonly faults: readonly Fault[];
  readonly seed: number;
  /** Which process of the home this is. */
  readonly process: number;
  readonly onWrite: (message: Message) => void;
};

type Held = { readonly message: Message; readonly until: (event: string) => boolean };

export function makeWire({ io, faults, seed, process, onWrite }: WireOptions): Wire {
  const mine = faults.filter((fault) => ["every", process].includes(fault.process ?? 1));
  const seen = new Map<string, number>();
  const open = new Map<unknown, (answer: Answer) => void>();
  const ended = Promise.withResolvers<WireEnd>();
  const deaf = new AbortController();
  const started = io.clock.monotonic();
  const endless = new Set<unknown>();
  let held: Held[] = [];
  let frames = 0;
  let nextId = 0;
  let tail = Promise.resolve();

  const log = (dir: "s>c" | "note", msg: unknown): void =>
    io.log({ ms: Math.round((io.clock.monotonic() - started) * 10) / 10, dir, msg });

  const due = (event: string, n: number, frame: number): readonly FaultAction[] =>
    mine
      .filter(({ at }) =>
        "frame" in at ? at.frame === frame : at.event === event && ["every", n].includes(at.n ?? 1),
      )
      .map((fault) => parseAction(fault.do));

  async function write(message: Message): Promise<void> {
    log("s>c", message);
    onWrite(message);
    await io.output(Buffer.from(`${JSON.stringify(message)}\n`));
  }

  async function deliver(event: string, message: Message): Promise<void> {
    frames += 1;
    const n = (seen.get(event) ?? 0) + 1;
    seen.set(event, n);
    const actions = due(event, n, frames);
    for (const action of actions) {
      log("note", { fault: action.kind, arg: action.arg, event, n, frame: frames });
      await before(action, message);
    }
    const has = (kind: FaultKind): boolean => actions.some((action) => action.kind === kind);
    if (has("partial")) return cutShort(message);
    const reorder = actions.find(({ kind }) => kind === "reorder");
    if (reorder) held.push({ message, until: heldUntil(reorder.arg) });
    const turn = turnOf(message);
    if (has("noTurnCompleted") && turn !== undefined) endless.add(turn);
    const lost = has("drop") || (event === "turn/completed" && endless.has(turn));
    if (!reorder && !lost) await write(message);
    if (!reorder && has("dup")) await write(message);
    if (has("reuseId") && !isRequest(message)) await write({ id: message["id"] ?? 987_654, result: {} });
    if (!reorder) await release(event);
    for (const action of actions) await after(action);
  }

  async function before({ kind, arg }: FaultAction, message: Message): Promise<void> {
    if (kind === "delay") await io.clock.sleep(Number(arg), undefined, { hold: true });
    if (kind === "garbage") for (const line of garbageLines(seed, Number(arg))) await io.output(line);
    if (kind === "stderr") await flood(io.stderr, Number(arg));
    if (kind === "huge") await io.output(hugeLine(Number(arg)));
    if (kind === "unknownReq") await write({ method: "fake/unknownRequest", id: nextId++, params: {} });
    if (kind === "wrongThread") await write(elsewhere(message, () => nextId++));
  }

  async function after({ kind, arg }: FaultAction): Promise<void> {
    if (kind === "noread") deaf.abort();
    if (kind === "exit") await finish({ exit: Number(arg) });
    if (kind === "sigkill") {
      io.signal("SIGKILL");
      await finish({ signal: "SIGKILL" });
    }
    if (kind === "sigstop") {
      io.signal("SIGSTOP");
      deaf.abort();
      await never;
    }
  }

  async function cutShort(message: Message): Promise<void> {
    const bytes = Buffer.from(JSON.stringify(message));
    await io.output(bytes.subarray(0, Math.ceil(bytes.length / 2)));
    await finish({ exit: 0 });
  }

  function finish(end: WireEnd): Promise<never> {
    ended.resolve(end);
    return never;
  }

  async function release(event: string): Promise<void> {
    const ready = held.filter(({ until }) => until(event));
    held = held.filter((each) => !ready.includes(each));
    for (const { message } of ready) await write(message);
  }

  const put = (event: string, message: Message): Promise<void> => {
    tail = tail.then(() => deliver(event, message)).catch(() => finish({ exit: 0 })); // nobody reads any more
    return tail;
  };
  const coming = (event: string): readonly FaultKind[] =>
    due(event, (seen.get(event) ?? 0) + 1, -1).map(({ kind }) => kind);

  return {
    put,
    coming,
    note: (message) => log("note", message),
    ended: ended.promise,
    deaf: deaf.signal,
    ask(method, params) {
      const id = coming(method).includes("reuseId") && nextId > 0 ? nextId - 1 : nextId++;
      const answer = new Promise<Answer>((resolve) => open.set(id, resolve));
      return { id, answer, sent: put(method, { method, id, params }) };
    },
    answered(id, answer) {
      const waiting = open.get(id);
      open.delete(id);
      waiting?.(answer);
      return waiting !== undefined;
    },
  };
}

const never = new Promise<never>(() => {});

const isRequest = (message: Message): boolean =>
  message["method"] !== undefined && message["id"] !== undefined;

/** The turn that a frame is about, if any. */
function turnOf(message: Message): unknown {
  const params = message["params"] as Message | undefined;
  return params?.["turnId"] ?? (params?.["turn"] as Message | undefined)?.["id"];
}

/** Held for a number of frames, or until one of a certain event has gone out. */
function heldUntil(arg: string): (event: string) => boolean {
  if (arg !== "" && !/^\d+$/.test(arg)) return (event) => event === arg;
  let left = arg === "" ? 1 : Number(arg);
  return () => (left -= 1) <= 0;
}

/** The same frame in a thread that is not there. A request gets an id of its own. */
function elsewhere(message: Message, newId: () => number): Message {
  const params = message["params"] as Message | undefined;
  const turn = params?.["turn"] as Message | undefined;
  const stray = "00000000-0000-7000-8000-0000000000ff";
  const moved = {
    ...params,
    threadId: stray,
    ...(params?.["turnId"] === undefined ? {} : { turnId: stray }),
    ...(turn === undefined ? {} : { turn: { ...turn, id: stray, rootTurnId: stray } }),
  };
  const id = message["id"] === undefined ? {} : { id: newId() };
  return { ...message, ...id, params: moved };
}

const block = 64 * 1024;

async function flood(write: (bytes: Uint8Array) => Promise<void>, bytes: number): Promise<void> {
  const noise = Buffer.from(
    "2026-01-01T00:00:00Z WARN fake_codex: oauth token unauthorized noise\n".repeat(1000),
  );
  for (let left = bytes; left > 0; left -= block) await write(noise.subarray(0, Math.min(block, left)));
}

/** A line of exactly so many bytes, its end not counted. */
function hugeLine(bytes: number): Buffer {
  const start = '{"method":"fake/huge","params":{"filler":"';
  const end = '"}}\n';
  return Buffer.from(start + "x".repeat(Math.max(0, bytes - start.length - end.length + 1)) + end);
}
