import type { Card, CardId } from "../../src/core/cards/cards.ts";
import type { Actor, Command } from "../../src/work/cards/command.ts";
import type { Random } from "../random.ts";

/** Who says what of which card. */
export type Word = { readonly actor: Actor; readonly id: CardId; readonly command: Command };

export const person: Actor & { readonly is: "person" } = { is: "person", name: "you" };
export const ttlMs = 5000;

export const ownerOf = (worker: number) => ({ host: "here", pid: worker + 1, startTime: String(worker) });

/** Something of a worker with this attempt, also when it has lost it long ago. */
export function workersWord(random: Random, run: `t_${string}.${number}`, others: readonly CardId[]): Word {
  const id = run.slice(0, run.lastIndexOf(".")) as CardId;
  const reason = `why ${"abcdefgh"[random.below(8)]}`;
  const commands: readonly Command[] = [
    { do: "heartbeat", ttlMs },
    { do: "heartbeat", ttlMs },
    { do: "comment", text: "at work" },
    { do: "complete", summary: "done" },
    { do: "complete", summary: "done" },
    { do: "block", kind: "needs_input", reason },
    { do: "block", kind: "transient", reason },
    { do: "block", kind: "dependency", reason, parent: random.pick(others) },
    { do: "fail", outcome: "crashed", error: "x" },
    { do: "hand_in" },
    // What a worker may never do.
    { do: "unblock" },
    { do: "reopen" },
  ];
  return { actor: { is: "worker", run }, id, command: random.pick(commands) };
}

/** Something of a person, an orchestrator or of time. */
export function othersWord(random: Random, { id, state, block }: Card, others: readonly CardId[]): Word {
  const orchestrator: Actor = { is: "orchestrator", name: "o" };
  const mostly: Command =
    state === "triage" ? { do: "ready" } : { do: block === undefined ? "reopen" : "unblock" };
  const words: readonly Word[] = [
    { actor: person, id, command: mostly },
    { actor: person, id, command: mostly },
    { actor: person, id, command: mostly },
    { actor: person, id, command: { do: random.oneIn(4) ? "archive" : "reopen" } },
    { actor: person, id, command: { do: "comment", text: "go on" } },
    { actor: person, id, command: { do: "unlink", parent: random.pick(others) } },
    { actor: { is: "time" }, id, command: { do: "unblock" } },
    { actor: orchestrator, id, command: { do: "link", parent: random.pick(others) } },
    { actor: orchestrator, id, command: { do: "unlink", parent: random.pick(others) } },
    { actor: orchestrator, id, command: { do: "unblock" } },
    { actor: { is: "dispatcher" }, id, command: { do: "reclaim", gone: false } },
  ];
  return random.pick(words);
}
