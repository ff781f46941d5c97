import type { Ports, Turn } from "../runtimes/runtime.ts";
import type { Lease } from "../store/store.ts";
import type { AgentDeps, AskingTurn } from "./index.ts";

/** What a runtime may reach while it runs this turn. */
export async function turnPorts(
  deps: AgentDeps,
  turn: Turn,
  lease: Lease,
  asker: Omit<AskingTurn, "session" | "turn" | "folder">,
  signal: AbortSignal,
): Promise<Ports> {
  const { clock, processes, store } = deps;
  const { session, cwd } = turn;
  const { runtime, from, audience } = asker;
  const { ask, inquire } = deps.asking({ session, turn: turn.id, folder: cwd, ...asker });
  const callRecords: Pick<Ports, "epoch" | "begin"> = {
    epoch: lease.epoch,
    begin: (call) => store.calls.begin(call, clock.now()),
  };
  return {
    signal,
    ask,
    inquire,
    clock,
    processes,
    tools: await deps.toolBox({
      session,
      turn: turn.id,
      cwd,
      from,
      audience,
      ...(turn.unattended === true ? {} : { attended: true }),
      ask,
      inquire,
      clock,
      ...callRecords,
    }),
    ...callRecords,
    binding: {
      load: () => store.bindings.load(session, runtime, cwd),
      save: (value) => store.bindings.save(lease, runtime, cwd, value),
    },
  };
}
