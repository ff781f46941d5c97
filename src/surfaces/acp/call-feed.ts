import type { ToolCallContent } from "@agentclientprotocol/sdk";
import type { ApprovalState, Question } from "../../core/asking.ts";
import type { ItemId, TurnId } from "../../core/ids.ts";
import type { CallItem, OpenItem } from "../../core/items.ts";
import { type Json, isPlainObject, stableJson } from "../../core/json.ts";
import type { Clock } from "../../lib/clock.ts";
import { callView, runsCommand } from "./call-view.ts";
import { changedContent } from "./diff-content.ts";
import { fenced } from "./markdown.ts";
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
  const update = (id: string, change: object): void =>
    writer.send({ sessionUpdate: "tool_call_update", toolCallId: id, ...change });
  const paint = async (call: Running): Promise<void> => {
    if (call.painting) return;
    call.painting = true;
    await clock.sleep(paintMs);
    call.painting = false;
    if (running.get(call.id) === call) update(call.id, { content: [textContent(call.output)] });
  };
  return {
    begin(turn, { id: item, tool = "", args }, cwd) {
      const id = callId(turn, item);
      if (running.has(id)) return;
      const terminal = terminals && runsCommand(tool);
      running.set(id, { id, turn, item, tool, args, terminal, output: "", painting: false });
      writer.send({
        sessionUpdate: "tool_call",
        toolCallId: id,
        ...callView(tool, args, cwd),
        status: "in_progress",
        ...(terminal ? terminalStart(id, cwd) : {}),
      });
    },
    output(turn, item, text) {
      const call = running.get(callId(turn, item));
      if (call === undefined) return;
      call.output = (call.output + text).slice(-shownOutput);
      if (call.terminal) return update(call.id, { _meta: { terminal_output: piece(call.id, text) } });
      void paint(call);
    },
    async finish(turn, item, cwd) {
      const id = callId(turn, item.id);
      const call = running.get(id);
      running.delete(id);
      const content = await resultContent(item, cwd);
      const end = {
        status: item.ok ? ("completed" as const) : ("failed" as const),
        rawOutput: rawOutput(item),
      };
      // What a person denied or nothing has run for has no terminal of its own to read it in.
      const said = call?.terminal === true && call.output === "" && item.output !== "";
      if (call?.terminal === true)
        return update(id, {
          ...end,
          _meta: {
            ...(said ? { terminal_output: piece(id, item.output) } : {}),
            terminal_exit: { terminal_id: id, exit_code: item.exitCode ?? null, signal: null },
          },
        });
      if (call !== undefined) return update(id, { ...end, content });
      writer.send({
        sessionUpdate: "tool_call",
        toolCallId: id,
        ...callView(item.tool, item.args, cwd),
        ...end,
        content: [...content],
      });
    },
    closeAll(turn) {
      for (const call of [...running.values()].filter((each) => each.turn === turn)) {
        running.delete(call.id);
        update(call.id, { status: "failed" });
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

async function resultContent({ diff, output }: CallItem, cwd: string): Promise<readonly ToolCallContent[]> {
  const changes = diff === undefined || diff === "" ? [] : await changedContent(diff, cwd);
  return [...changes, ...(output === "" ? [] : [textContent(output)])];
}

const rawOutput = ({ exitCode, durationMs }: CallItem): object => ({
  ...(exitCode === undefined ? {} : { exitCode }),
  ...(durationMs === undefined ? {} : { durationMs }),
});

const textContent = (text: string): ToolCallContent => ({
  type: "content",
  content: { type: "text", text: fenced(text) },
});

const terminalStart = (id: string, cwd: string): object => ({
  content: [{ type: "terminal", terminalId: id }],
  _meta: { terminal_info: { terminal_id: id, cwd } },
});

const piece = (id: string, data: string): object => ({ terminal_id: id, data });
