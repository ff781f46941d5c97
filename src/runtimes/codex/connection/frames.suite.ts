import type { TurnEvent } from "../../../core/events.ts";
import { type TurnOptions, beginTurn, observe } from "../items/turn-machine.ts";
import type { TurnState } from "../items/turn-state.ts";

/** Frames of one turn as codex sends them, and a machine to feed them to. */

export type Frame = readonly [method: string, params: object];

export const here = { threadId: "T", turnId: "U" };
export const options: TurnOptions = { ...here, cwd: "/w" };

export const item = (fields: object): object => ({ ...here, item: fields });
export const started = (fields: object): Frame => ["item/started", item(fields)];
export const completed = (fields: object): Frame => ["item/completed", item(fields)];
export const message = (id: string, text: string, rest: object = {}): object => ({
  type: "agentMessage",
  id,
  text,
  phase: null,
  ...rest,
});
export const command = (id: string, rest: object = {}): object => ({
  type: "commandExecution",
  id,
  command: "ls",
  cwd: "/w",
  processId: null,
  status: "inProgress",
  ...rest,
});
export const delta = (itemId: string, text: string): Frame => [
  "item/agentMessage/delta",
  { ...here, itemId, delta: text },
];
export const end = (status: string, rest: object = {}): Frame => [
  "turn/completed",
  { threadId: "T", turn: { id: "U", items: [], status, error: null, ...rest } },
];
export const retry = (details = ""): Frame => [
  "error",
  {
    ...here,
    willRetry: true,
    error: {
      message: "Reconnecting... 1/5",
      additionalDetails: details,
      codexErrorInfo: { responseStreamDisconnected: { httpStatusCode: null } },
    },
  },
];

export function run(
  frames: readonly Frame[],
  from: TurnState = beginTurn(options),
): [TurnState, TurnEvent[]] {
  let state = from;
  const events: TurnEvent[] = [];
  frames.forEach(([method, params], at) => {
    const [next, said] = observe(state, { method, params }, at);
    state = next;
    events.push(...said);
  });
  return [state, events];
}

export const statuses = (events: readonly TurnEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === "status" ? [event.state] : []));

export const waiting = (activeFlags: string[]): Frame => [
  "thread/status/changed",
  { threadId: "T", status: { type: "active", activeFlags } },
];

const counts = (sum: number): object => ({ totalTokens: sum, inputTokens: sum });
export const usage = (turnId: string, total: number, last: number): Frame => [
  "thread/tokenUsage/updated",
  { threadId: "T", turnId, tokenUsage: { total: counts(total), last: counts(last) } },
];
