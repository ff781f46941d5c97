import type { Child, ChildExit } from "../../../src/lib/process/child.ts";
import { lines } from "../../../src/lib/rpc/jsonl.ts";
import { isObject } from "../../codex-schema/json-schema.ts";

export type Frame = { readonly [key: string]: unknown };
export type WireLine = { readonly dir: "c>s" | "s>c"; readonly msg: Frame };

/** The smallest client of an app-server that a test can talk through: it remembers all, understands nothing. */
export type Driver = AsyncDisposable & {
  readonly child: Child;
  readonly wire: readonly WireLine[];
  send(frame: Frame): Promise<void>;
  /** Sends a request; resolves with the whole answer, be it a result or an error. */
  call(method: string, params: object): Promise<Frame>;
  /** The next frame from the server for which `test` holds. Each frame is given out once. Rejects when no more come. */
  until(what: string, test: (frame: Frame) => boolean): Promise<Frame>;
  /** The next request or notification with this method. */
  next(method: string): Promise<Frame>;
  readonly ended: Promise<ChildExit>;
};

export function drive(child: Child): Driver {
  const wire: WireLine[] = [];
  let lastId = 0;
  let given = 0;
  let over = false;
  let wake = Promise.withResolvers<void>();
  const stir = (): void => {
    wake.resolve();
    wake = Promise.withResolvers();
  };

  async function read(): Promise<void> {
    for await (const line of lines(child.stdout)) {
      const msg = parse(line);
      if (msg === undefined) continue;
      wire.push({ dir: "s>c", msg });
      stir();
    }
  }
  const stopReading = (): void => {
    over = true;
    stir();
  };
  void read().then(stopReading, stopReading);

  async function search(what: string, from: () => number, test: (frame: Frame) => boolean): Promise<number> {
    for (let at = from(); ;) {
      for (; at < wire.length; at += 1) {
        const line = wire[at];
        if (line?.dir === "s>c" && test(line.msg)) return at;
      }
      if (over) throw new Error(`The app-server ended without ${what}. It sent:\n${summary(wire)}`);
      await wake.promise;
    }
  }

  const send = async (msg: Frame): Promise<void> => {
    wire.push({ dir: "c>s", msg });
    await child.write(`${JSON.stringify(msg)}\n`);
  };
  const until: Driver["until"] = async (what, test) => {
    const at = await search(what, () => given, test);
    given = at + 1;
    return wire[at]?.msg ?? {};
  };
  return {
    child,
    wire,
    send,
    until,
    next: (method) => until(method, (frame) => frame["method"] === method),
    async call(method, params) {
      const id = (lastId += 1);
      const from = wire.length;
      await send({ id, method, params });
      const isAnswer = (frame: Frame): boolean => frame["method"] === undefined && frame["id"] === id;
      const at = await search(`an answer to ${method}`, () => from, isAnswer);
      return wire[at]?.msg ?? {};
    },
    ended: child.exited,
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}

/** Says hello as the protocol wants it. */
export async function initialize(
  driver: Driver,
  capabilities: object = { experimentalApi: true },
): Promise<Frame> {
  const clientInfo = { name: "talaria_test", title: "Talaria test", version: "0.0.1" };
  const answer = await driver.call("initialize", { clientInfo, capabilities });
  await driver.send({ method: "initialized" });
  return answer;
}

/** The value at a path of keys, or undefined. */
export function pick(frame: unknown, ...path: readonly (string | number)[]): unknown {
  let found = frame;
  for (const key of path) found = (found as Record<string | number, unknown> | null | undefined)?.[key];
  return found;
}

export const text = (words: string): object => ({ type: "text", text: words });

function parse(line: string): Frame | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const summary = (wire: readonly WireLine[]): string =>
  wire
    .slice(-15)
    .map(({ dir, msg }) => `${dir} ${JSON.stringify(msg).slice(0, 200)}`)
    .join("\n");
