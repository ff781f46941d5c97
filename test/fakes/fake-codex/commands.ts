import { commandExecution, commandWords, fileChange, shellCommand, unifiedDiff } from "./items.ts";
import type { Exec, Patch } from "./script.ts";
import {
  announce,
  ask,
  completeItem,
  orStopped,
  type Stage,
  startItem,
  threadAndTurn,
  waitingOver,
} from "./stage.ts";
import type { Item } from "./thread-log.ts";
import type { Answer } from "./wire.ts";

/** How a step ended: `cancelled` and `stopped` end the turn, too. */
export type ToolEnd = "done" | "cancelled" | "stopped";

type Decision = "accept" | "acceptForSession" | "decline" | "cancel" | "failed";

/** A command. It is never run; the log has a note where it would have been. */
export async function playExec(stage: Stage, exec: Exec): Promise<ToolEnd> {
  const { live, ids } = stage;
  const id = ids.short("call");
  const { cwd } = live.thread.meta;
  const processId = String(10_000 + (Number.parseInt(id.slice(-4), 16) % 90_000));
  const startedAtMs = stage.clock.now();
  const ready = commandExecution(id, exec, cwd, processId);
  const mustAsk =
    (exec.approve === true || exec.escalate !== undefined) && !live.grants.has(`command ${exec.cmd}`);
  if (!mustAsk) {
    await announce(stage, ready, startedAtMs);
    return run(stage, exec, ready, startedAtMs);
  }
  const pending = commandExecution(id, exec, cwd, null);
  const answer = await ask(stage, {
    method: "item/commandExecution/requestApproval",
    params: approvalParams(exec, pending, startedAtMs),
    announce: () => announce(stage, pending, startedAtMs),
    statusFirst: true,
  });
  if (answer === undefined) return "stopped";
  const decision = decisionOf(answer);
  if (decision === "acceptForSession") live.grants.add(`command ${exec.cmd}`);
  if (decision === "accept" || decision === "acceptForSession") {
    await waitingOver(stage);
    return run(stage, exec, ready, startedAtMs);
  }
  await completeItem(
    stage,
    { ...pending, status: decision === "failed" ? "failed" : "declined" },
    startedAtMs,
  );
  await waitingOver(stage);
  return decision === "cancel" ? "cancelled" : "done";
}

async function run(stage: Stage, exec: Exec, item: Item, startedAtMs: number): Promise<ToolEnd> {
  const { output = "", exitCode = 0 } = exec;
  stage.wire.note({ ran: exec.cmd, item: item.id });
  if (exec.running === true || exec.background === true) {
    stage.live.background.set(item.id, { turn: stage.turn, item: { ...item, startedAtMs }, output });
    if (exec.background === true) return "done";
    await orStopped(stage, new Promise(() => {}));
    return "stopped";
  }
  if (exec.stream === true)
    for (const delta of output.split(/(?<=\n)/))
      await stage.notify("item/commandExecution/outputDelta", {
        ...threadAndTurn(stage),
        itemId: item.id,
        delta,
      });
  const status = exitCode === 0 ? "completed" : "failed";
  await completeItem(
    stage,
    { ...item, status, aggregatedOutput: output, exitCode, durationMs: 0 },
    startedAtMs,
  );
  return "done";
}

function approvalParams(exec: Exec, item: Item, startedAtMs: number): object {
  const amendment = commandWords(exec);
  return {
    kind: "command",
    itemId: item.id,
    startedAtMs,
    environmentId: "local",
    ...(exec.escalate === undefined ? {} : { reason: exec.escalate }),
    command: shellCommand(exec),
    cwd: item["cwd"],
    commandActions: item["commandActions"],
    proposedExecpolicyAmendment: amendment,
    availableDecisions: [
      "accept",
      { acceptWithExecpolicyAmendment: { execpolicy_amendment: amendment } },
      "cancel",
    ],
  };
}

/** A patch. Nothing is written; the log has a note where it would have been. */
export async function playPatch(stage: Stage, patch: Patch): Promise<ToolEnd> {
  const { live, ids } = stage;
  const item = fileChange(ids.short("call"), patch, live.thread.meta.cwd);
  const files = (item["changes"] as readonly { readonly path: string }[]).map(({ path }) => `file ${path}`);
  const mustAsk = patch.approve === true && !files.every((file) => live.grants.has(file));
  if (!mustAsk) {
    const startedAtMs = await startItem(stage, item);
    return applyPatch(stage, patch, item, startedAtMs);
  }
  const startedAtMs = stage.clock.now();
  const answer = await ask(stage, {
    method: "item/fileChange/requestApproval",
    params: {
      itemId: item.id,
      startedAtMs,
      reason: patch.reason ?? null,
      grantRoot: patch.grantRoot ?? null,
    },
    announce: () => announce(stage, item, startedAtMs),
  });
  if (answer === undefined) return "stopped";
  const decision = decisionOf(answer);
  await waitingOver(stage);
  if (decision === "cancel") return "cancelled"; // codex leaves the item open
  if (decision === "acceptForSession") for (const file of files) live.grants.add(file);
  if (decision === "accept" || decision === "acceptForSession")
    return applyPatch(stage, patch, item, startedAtMs);
  await completeItem(stage, { ...item, status: "declined" }, startedAtMs);
  return "done";
}

async function applyPatch(stage: Stage, patch: Patch, item: Item, startedAtMs: number): Promise<ToolEnd> {
  stage.wire.note({ patched: patch.changes.map(({ path }) => path), item: item.id });
  await completeItem(stage, { ...item, status: "completed" }, startedAtMs);
  stage.diff += unifiedDiff(patch);
  await showDiff(stage);
  return "done";
}

/** Codex repeats it after every model response. */
export async function showDiff(stage: Stage): Promise<void> {
  if (stage.diff !== "")
    await stage.notify("turn/diff/updated", { ...threadAndTurn(stage), diff: stage.diff });
}

const plain: readonly unknown[] = ["accept", "acceptForSession", "decline", "cancel"];

/** An error, or a word that codex does not know, fails the item and lets the turn go on. */
function decisionOf(answer: Answer): Decision {
  if ("error" in answer) return "failed";
  const { decision } = (answer.result ?? {}) as { readonly decision?: unknown };
  if (plain.includes(decision)) return decision as Decision;
  const amended = typeof decision === "object" && decision !== null;
  return amended && Object.hasOwn(decision, "acceptWithExecpolicyAmendment") ? "accept" : "failed";
}
