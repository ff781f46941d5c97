import { isDeepStrictEqual } from "node:util";
import { RpcError } from "../../src/lib/rpc/rpc-message.ts";
import type { Connection } from "../../src/runtimes/codex/connection/connection.ts";
import { AppServerGone } from "../../src/runtimes/codex/process/gone.ts";
import type { Line } from "./line-maker.ts";
import type { Random } from "../random.ts";
import { sortLine } from "./sorted-line.ts";

/** Requests of ours that wait, and the only answers that may end them. */
export type PlantedReplies = {
  /** Keeps four requests open. */
  refill(): void;
  /** A message that we have sent: one of these requests has its id now. */
  sent(message: { readonly id?: unknown; readonly params?: unknown }): void;
  readonly openIds: readonly number[];
  /** The true answer to one of them. */
  plant(): Line | undefined;
  readonly counts: {
    /** Ended by its own answer. */
    right: number;
    /** Ended by anything else. */
    wrong: number;
    /** Ended because codex was gone. */
    gone: number;
  };
  /** Answered, and waiting nevertheless. */
  overdue(): number;
  /** Of any kind. */
  readonly open: number;
};

type Reply =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } };
type Asked = { readonly token: string; id?: number; reply?: Reply };

const openRequests = 4;
const never = new AbortController().signal;

export function plantedReplies(talk: Connection, random: Random): PlantedReplies {
  const open = new Map<string, Asked>();
  const counts = { right: 0, wrong: 0, gone: 0 };
  let last = 0;

  function settle(asked: Asked, right: boolean): void {
    open.delete(asked.token);
    counts[right ? "right" : "wrong"] += 1;
  }

  function ask(): void {
    const asked: Asked = { token: `token-${(last += 1)}` };
    open.set(asked.token, asked);
    talk.request("fuzz/ask", { token: asked.token }, { signal: never, timeoutMs: 1e12 }).then(
      (value) =>
        settle(
          asked,
          asked.reply !== undefined &&
            "result" in asked.reply &&
            isDeepStrictEqual(value, asked.reply.result),
        ),
      (error: unknown) => {
        if (error instanceof AppServerGone && !talk.alive) {
          open.delete(asked.token);
          counts.gone += 1;
          return;
        }
        const { reply } = asked;
        const expected = reply !== undefined && "error" in reply ? reply.error : undefined;
        settle(
          asked,
          error instanceof RpcError && error.code === expected?.code && error.message === expected.message,
        );
      },
    );
  }

  return {
    refill() {
      while (talk.alive && open.size < openRequests) ask();
    },
    sent({ id, params }) {
      const asked = open.get((params as { token?: string } | undefined)?.token ?? "");
      if (asked !== undefined && typeof id === "number") asked.id = id;
    },
    get openIds() {
      return [...open.values()].flatMap(({ id }) => id ?? []);
    },
    plant() {
      const asked = [...open.values()].find(({ id, reply }) => id !== undefined && reply === undefined);
      if (asked === undefined) return undefined;
      const { id, token } = asked;
      asked.reply = random.oneIn(5)
        ? { error: { code: -32600, message: `no: ${token}` } }
        : { result: { token, list: [random.below(1000), null, "\u2028"] } };
      const fields = random.oneIn(2) ? { id, ...asked.reply } : { ...asked.reply, id };
      const text = JSON.stringify(fields);
      return { bytes: Buffer.from(text), kinds: [], sorted: sortLine(text) };
    },
    counts,
    overdue: () => [...open.values()].filter(({ reply }) => reply !== undefined).length,
    get open() {
      return open.size;
    },
  };
}
