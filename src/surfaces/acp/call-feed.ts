import type { ApprovalState, Question } from "../../core/asking.ts";
import type { ItemId, TurnId } from "../../core/ids.ts";
import type { CallItem, OpenItem } from "../../core/items.ts";
import { type Json, isPlainObject, stableJson } from "../../core/json.ts";
import type { Clock } from "../../lib/clock.ts";
import {
  begunCall,
  endedCall,
  endedTerminal,
  outputPiece,
  outputSoFar,
  pastCall,
  unfinishedCall,
} from "./call-updates.ts";
import { runsCommand } from "./call-view.ts";
import type { SessionWriter } from "./session-writer.ts";

/** The calls of a session as the editor sees them. */
export interface CallFeed {
  begin(turn: TurnId, item: OpenItem, cwd: string): void;
  output(turn: TurnId, item: ItemId, text: string): void;
  finish(turn: TurnId, item: CallItem, cwd: string): Promise<void>;
  /** What a turn leaves open will not be finished any more. */
  closeAll(turn: TurnId): void;
  /** The call that a question is about, if one that runs can be told. */
  askedBy(turn: TurnId, approval: ApprovalState): string | undefined;
}

export type CallFeedParts = {
  readonly writer: Pick<SessionWriter, "send">;
  readonly clock: Clock;
  /** The editor takes output as it comes. */
  readonly terminals: boolean;
};

type Running = {
  readonly id: string;
  readonly turn: TurnId;
  readonly item: string;
  readonly tool: string;
  readonly args: Json | undefined;
  readonly terminal: boolean;
  /** The end of what it has written. */
  output: string;
  painting: boolean;
};

/** Unique in its session: items are so only in their turn. */
export const callId = (turn: TurnId, item: string): string => `${turn}:${item}`;

/** How often, and how much of, output is sent anew to an editor that cannot take it in pieces. */
const paintMs = 250;
const shownOutput = 16 * 1024;

export function callFeed({ writer, clock, terminals }: CallFeedParts): CallFeed {
  const running = new Map<string, Running>();
  const paint = async (call: Running): Promise<void> => {
    if (call.painting) return;
    call.painting = true;
    await clock.sleep(paintMs);
    call.painting = false;
    if (running.get(call.id) === call) writer.send(outputSoFar(call.id, call.output));
  };
  return {
    begin(turn, open, cwd) {
      const id = callId(turn, open.id);
      if (running.has(id)) return;
      const { tool = "", args } = open;
      const terminal = terminals && runsCommand(tool);
      running.set(id, { id, turn, item: open.id, tool, args, terminal, output: "", painting: false });
      writer.send(begunCall(id, open, cwd, terminal));
    },
    output(turn, item, text) {
      const call = running.get(callId(turn, item));
      if (call === undefined) return;
      call.output = (call.output + text).slice(-shownOutput);
      if (call.terminal) writer.send(outputPiece(call.id, text));
      else void paint(call);
    },
    async finish(turn, item, cwd) {
      const id = callId(turn, item.id);
      const call = running.get(id);
      running.delete(id);
      if (call === undefined) return writer.send(await pastCall(id, item, cwd));
      if (!call.terminal) return writer.send(await endedCall(id, item, cwd));
      writer.send(endedTerminal(id, item, call.output === "" ? item.output : ""));
    },
    closeAll(turn) {
      for (const call of [...running.values()].filter((each) => each.turn === turn)) {
        running.delete(call.id);
        writer.send(unfinishedCall(call.id));
      }
    },
    askedBy(turn, { question }) {
      const mine = [...running.values()].filter((call) => call.turn === turn);
      return mine.find((call) => isAbout(call, question))?.id;
    },
  };
}

/** A question of codex names its item; one of ours has the arguments of its call, and maybe more. */
function isAbout({ item, tool, args }: Running, question: Question): boolean {
  if (question.origin !== undefined) return question.origin.item === item;
  if (tool !== question.tool || !isPlainObject(args) || !isPlainObject(question.args)) return false;
  const asked = question.args;
  return Object.entries(args).every(([name, value]) => stableJson(asked[name]) === stableJson(value));
}
