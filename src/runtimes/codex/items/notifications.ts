import type { TurnEvent } from "../../../core/events.ts";
import { asId } from "../../../core/ids.ts";
import type { CallItem } from "../../../core/items.ts";
import { plainWords } from "../fault-words.ts";
import { typedText } from "../thread/cut-typing.ts";
import { readChanges, readCommand, readMcp } from "../wire/call-item.ts";
import { type TurnError, isConnectionInfo, readTurnError } from "../wire/error-info.ts";
import { type Fields, fieldsOf, flagIn, idIn, listOf, textIn } from "../wire/fields.ts";
import { readMessage, readReasoning } from "../wire/other-item.ts";
import { readLimits } from "../wire/rate-limits.ts";
import { readTokenUsage } from "../wire/token-usage.ts";
import { readThreadStatus, readTurn } from "../wire/turn.ts";
import { dropAnswer, isAnswer } from "./close-items.ts";
import { completeItem, growItem, reviseItem, runWaiting, startItem, takeItem } from "./item-events.ts";
import { doneNote, note } from "./note-mapping.ts";
import { boundedText } from "./seen-text.ts";
import { type Step, type TurnState, noEvents, sayOnce, withDrift } from "./turn-state.ts";
import { forgetBaseline, measure } from "./usage.ts";

/** What one notification of this turn does. The caller has checked that it is not about another. */
type Handler = (state: TurnState, params: Fields, nowMs: number) => Step;

/** Every notification that a turn listens to. */
export const handlers: Readonly<Record<string, Handler>> = {
  // A new value, so that the status is said.
  "turn/started": (state) => [{ ...state }, noEvents],
  "turn/completed": (state, params) => completeTurn(state, params),
  "turn/diff/updated": (state, params) => [
    { ...state, diff: boundedText(state.redact(textIn(params, "diff") ?? "")) },
    noEvents,
  ],
  "turn/plan/updated": (state, params) => planUpdated(state, params),

  "item/started": (state, params, nowMs) => startItem(moving(state), params["item"], nowMs),
  "item/completed": (state, params, nowMs) => completeItem(moving(state), params["item"], nowMs),
  "item/agentMessage/delta": (state, params, nowMs) => {
    const assumed = readMessage({});
    return growItem(moving(state), idIn(params, "itemId"), delta(params), "text", assumed, nowMs);
  },
  "item/reasoning/summaryTextDelta": (state, params, nowMs) => grownThought(state, params, nowMs),
  "item/reasoning/textDelta": (state, params, nowMs) => grownThought(state, params, nowMs),
  "item/reasoning/summaryPartAdded": (state, params, nowMs) => newThought(state, params, nowMs),
  "item/commandExecution/outputDelta": (state, params, nowMs) => {
    const assumed = readCommand({});
    return growItem(moving(state), idIn(params, "itemId"), delta(params), "output", assumed, nowMs);
  },
  "item/commandExecution/terminalInteraction": (state, params) => typed(state, params),
  "item/mcpToolCall/progress": (state, params, nowMs) => {
    const line = `${textIn(params, "message") ?? ""}\n`;
    return growItem(moving(state), idIn(params, "itemId"), line, "output", readMcp({}), nowMs);
  },
  "item/plan/delta": (state, params, nowMs) => {
    const plan = { type: "plan", text: "" } as const;
    const [next] = growItem(moving(state), idIn(params, "itemId"), delta(params), "text", plan, nowMs);
    return [next, noEvents];
  },
  "item/fileChange/patchUpdated": (state, params) => {
    const changes = readChanges(params["changes"]);
    const revise = reviseItem(state, idIn(params, "itemId"), (body) =>
      body.type === "fileChange" ? { ...body, changes } : body,
    );
    return [revise, noEvents];
  },

  "thread/status/changed": (state, params, nowMs) => statusChanged(state, params, nowMs),
  "thread/tokenUsage/updated": (state, params) => usageUpdated(state, params),
  "thread/reverted": (state) => [{ ...state, meter: forgetBaseline(state.meter) }, noEvents],
  "account/rateLimits/updated": (state, params) => {
    const limits = readLimits(params);
    return [limits === undefined ? state : { ...state, limits }, noEvents];
  },

  "hook/completed": (state, params) => hookCompleted(state, params),

  error: (state, params) => errorReported(state, params),
  warning: (state, params) => sayOnce(state, "codex_warning", words(state, textIn(params, "message"))),
  guardianWarning: (state, params) =>
    sayOnce(state, "codex_warning", words(state, textIn(params, "message"))),
  configWarning: (state, params) => {
    const parts = [textIn(params, "summary"), textIn(params, "details"), textIn(params, "path")];
    return sayOnce(state, "codex_config", words(state, parts.filter(Boolean).join(" ")));
  },
  "model/rerouted": (state, params) => {
    const [from, to] = [textIn(params, "fromModel") ?? "the model", textIn(params, "toModel") ?? "another"];
    return sayOnce(
      state,
      "model_rerouted",
      words(state, `The provider answers with ${to} instead of ${from}.`),
    );
  },
  "mcpServer/startupStatus/updated": (state, params) => {
    if (textIn(params, "status") !== "failed") return [state, noEvents];
    const line = `The MCP server ${textIn(params, "name") ?? "(unnamed)"} did not start: ${textIn(params, "error") ?? "no reason given"}`;
    return sayOnce(state, "mcp_server_failed", words(state, line));
  },
};

/**
 * Text was typed into a command that runs. Codex has no item for it, and asks nobody when the command is in its sandbox.
 * Without text the model has only looked at the output.
 */
function typed(state: TurnState, params: Fields): Step {
  const text = textIn(params, "stdin") ?? "";
  if (text === "") return [state, noEvents];
  const key = idIn(params, "itemId") ?? "";
  const body = state.open.get(key)?.body;
  const command = body?.type === "commandExecution" ? body.command : state.mapping.commandOf?.(key);
  const nameless = state.nameless + 1;
  const id = asId<"itm">(`write_stdin#${nameless}`);
  const item: CallItem = {
    id,
    kind: "call",
    callId: `codex_stdin_${state.turnId}_${nameless}`,
    tool: "write_stdin",
    args: { text, command: command ?? "(not known)" },
    output: typedText,
    ok: true,
  };
  return [{ ...state, nameless, calls: state.calls + 1 }, [{ type: "item", item }]];
}

/** Only the `turn/completed` that names this turn ends it, and only once. */
function completeTurn(state: TurnState, params: Fields): Step {
  const turn = readTurn(params["turn"]);
  const id = turn.id ?? idIn(params, "turnId");
  if (id !== state.turnId) return [withDrift(state, ["turn/completed without turn id"]), noEvents];
  if (state.outcome !== undefined) return [state, noEvents];
  const error = turn.error ?? (turn.status === "failed" ? state.failure : undefined);
  const outcome = {
    status: turn.status,
    ...(error === undefined ? {} : { error }),
    brokeOff: isConnectionInfo(state.retried?.info) || [...state.open.values()].some(isAnswer),
  };
  const strange = knownEnds.has(turn.status) ? [] : [`turn status ${turn.status}`];
  let next = withDrift(state, strange);
  const events: TurnEvent[] = [];
  for (const item of turn.items) {
    const [taken, told] = takeItem(next, item);
    next = taken;
    events.push(...told);
  }
  return [{ ...next, outcome }, events];
}

const knownEnds: ReadonlySet<string> = new Set(["completed", "interrupted", "failed"]);

/** Something came from the model or a tool: codex is no longer trying again. */
function moving(state: TurnState): TurnState {
  if (state.retrying === undefined) return state;
  const { retrying: _over, ...rest } = state;
  return rest;
}

function grownThought(state: TurnState, params: Fields, nowMs: number): Step {
  return growItem(moving(state), idIn(params, "itemId"), delta(params), "thinking", readReasoning({}), nowMs);
}

/** Parts of a summary stand apart by a blank line, on the screen as in the finished item. */
function newThought(state: TurnState, params: Fields, nowMs: number): Step {
  const key = idIn(params, "itemId");
  const begun = key !== undefined && (state.open.get(key)?.seen.length ?? 0) > 0;
  return begun ? growItem(state, key, "\n\n", "thinking", readReasoning({}), nowMs) : [state, noEvents];
}

function statusChanged(state: TurnState, params: Fields, nowMs: number): Step {
  const { type, flags } = readThreadStatus(params["status"]);
  if (!knownStatuses.has(type)) return [withDrift(state, [`thread status ${type}`]), noEvents];
  const waiting = flags.some((flag) => flag.startsWith("waitingOn"));
  if (waiting === state.waiting) return [state, noEvents];
  return [{ ...(waiting ? state : runWaiting(state, nowMs)), waiting }, noEvents];
}

const knownStatuses: ReadonlySet<string> = new Set(["notLoaded", "idle", "systemError", "active"]);

function usageUpdated(state: TurnState, params: Fields): Step {
  const usage = readTokenUsage(params["tokenUsage"]);
  if (usage === undefined) return [withDrift(state, ["token usage without numbers"]), noEvents];
  const { retried: _over, ...answered } = moving(state);
  const meter = measure(state.meter, usage);
  if (meter === state.meter || meter.usage === undefined) return [answered, noEvents];
  const limits = state.limits === undefined ? {} : { limits: state.limits.text };
  return [{ ...answered, meter }, [{ type: "usage", ...meter.usage, ...limits }]];
}

function errorReported(state: TurnState, params: Fields): Step {
  const error = readTurnError(params["error"]);
  if (error === undefined) return [withDrift(state, ["error without reason"]), noEvents];
  if (flagIn(params, "willRetry") !== true) return [{ ...state, failure: error }, noEvents];
  const [dropped, events] = dropAnswer(state);
  return [{ ...dropped, retried: error, retrying: retryWords(state, error) }, events];
}

const retryWords = (state: TurnState, { message, details }: TurnError): string =>
  words(state, details === "" ? message : `${message} (${details})`);

/** An update of the plan is a note of its own; the same plan again is not. */
function planUpdated(state: TurnState, params: Fields): Step {
  const steps = listOf(params["plan"]).map((entry) => {
    const step = fieldsOf(entry);
    return `${marks[textIn(step, "status") ?? ""] ?? "-"} ${textIn(step, "step") ?? ""}`;
  });
  const plan = [textIn(params, "explanation"), ...steps].filter(Boolean).join("\n");
  if (plan === "" || plan === state.plan) return [state, noEvents];
  const nameless = state.nameless + 1;
  const item = doneNote(asId<"itm">(`plan#${nameless}`), `Plan:\n${plan}`);
  return [{ ...state, plan, nameless }, [{ type: "item", item }]];
}

const marks: Readonly<Record<string, string>> = { completed: "[x]", inProgress: "[>]", pending: "[ ]" };

const delta = (params: Fields): string => textIn(params, "delta") ?? "";

const words = (state: TurnState, text: string | undefined): string => plainWords(text ?? "", state.redact);

/** A call that a hook stopped comes as no item, and one that could not be looked at goes on: both are said. */
function hookCompleted(state: TurnState, params: Fields): Step {
  const run = fieldsOf(params["run"]);
  const happened = textIn(run, "status");
  if (happened !== "blocked" && happened !== "failed") return [state, noEvents];
  const entries = listOf(run["entries"]).flatMap((entry) => textIn(fieldsOf(entry), "text") ?? []);
  const reason = plainWords(entries.join("\n"), state.redact) || "no reason given";
  const text = happened === "blocked" ? `Not done: ${reason}` : `A hook of codex failed: ${reason}`;
  const nameless = state.nameless + 1;
  const item = note(asId<"itm">(`hook#${nameless}`), text);
  return [{ ...state, nameless }, [{ type: "item", item }]];
}
