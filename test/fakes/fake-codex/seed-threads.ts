import { seededIds } from "./ids.ts";
import { agentMessage, userMessage } from "./items.ts";
import type { SeedThread } from "./script.ts";
import type { ThreadRecord } from "./thread-log.ts";

/** What the disk holds of a thread that was there before. */
export function seedRecords({ id, cwd = "/", turns }: SeedThread, at: number): readonly ThreadRecord[] {
  const ids = seededIds(0, 0);
  const times = { startedAtMs: at, completedAtMs: at };
  const meta = {
    id,
    cwd,
    model: "gpt-5.5",
    modelProvider: "openai",
    approvalPolicy: "on-request",
    sandbox: { type: "readOnly", networkAccess: false },
    sandboxChosen: false,
    createdAt: at,
    ephemeral: false,
    forkedFromId: null,
    originator: "seed",
    dynamicTools: [],
  };
  const turnRecords = turns.flatMap(({ user, agent }): ThreadRecord[] => {
    const turn = ids.uuid();
    const said = { ...userMessage(ids.uuid(), [{ type: "text", text: user }], null), ...times };
    const answered = { ...agentMessage(ids.short("msg"), agent, null), ...times };
    return [
      { kind: "turn", turn, at },
      { kind: "item", turn, item: said },
      { kind: "item", turn, item: answered },
      { kind: "end", turn, status: "completed", error: null, at },
    ];
  });
  return [{ kind: "thread", meta }, ...turnRecords];
}
