import type { Attended } from "../core/host.ts";
import type { Ports, Turn } from "../runtimes/runtime.ts";
import type { Lease } from "../store/store.ts";
import type { AgentDeps } from "./index.ts";

/** What a runtime may reach while it runs this turn. */
export async function turnPorts(
  deps: AgentDeps,
  turn: Turn,
  lease: Lease,
  runtime: string,
  attended: Attended,
  signal: AbortSignal,
): Promise<Ports> {
  const { clock, processes, inquire, store } = deps;
  const { session, cwd } = turn;
  const ask = deps.ask(attended);
  return {
    signal,
    ask,
    inquire,
    clock,
    processes,
    tools: await deps.toolBox({ session, turn: turn.id, cwd, ask, inquire, clock }),
    binding: {
      load: () => store.bindings.load(session, runtime, cwd),
      save: (value) => store.bindings.save(lease, runtime, cwd, value),
    },
  };
}
