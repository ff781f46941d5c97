import type { Ports, Turn } from "../runtimes/runtime.ts";
import type { FoundAtStart } from "../store/schema/opened-turn.ts";
import type { Lease, Store } from "../store/store.ts";
import type { AgentDeps, AskingTurn } from "./index.ts";

/** What a runtime may reach while it runs this turn. */
export async function turnPorts(
  deps: AgentDeps,
  turn: Turn,
  lease: Lease,
  asker: Omit<AskingTurn, "session" | "turn" | "folder">,
  signal: AbortSignal,
  found?: FoundAtStart,
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
    binding: bindingPort(store, { lease, runtime, cwd }, found),
  };
}

/** `found` holds until something else is written. */
function bindingPort(
  { bindings }: Store,
  { lease, runtime, cwd }: { readonly lease: Lease; readonly runtime: string; readonly cwd: string },
  found: FoundAtStart | undefined,
): Ports["binding"] {
  let known = found;
  return {
    load: async () => (known === undefined ? bindings.load(lease.session, runtime, cwd) : known.binding),
    save(value) {
      known = undefined;
      return bindings.save(lease, runtime, cwd, value);
    },
  };
}
