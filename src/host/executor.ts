import { type Executing, Refusal } from "../core/host.ts";
import { takeDuty } from "../work/dispatch/duty.ts";
import type { Foundation } from "./foundation.ts";

type Parts = Pick<Foundation, "store" | "owner" | "isGone" | "clock" | "log">;

/**
 * Makes this process the executor of its home on this machine, until `stack` is closed. Rejects with a Refusal while another one
 * is alive.
 */
export async function becomeExecutor(parts: Parts, stack: AsyncDisposableStack): Promise<Executing> {
  const held = await takeDuty(parts, `executor:${parts.owner.host}`);
  if ("busy" in held)
    throw new Refusal(
      "busy",
      `talaria serve runs already in this home (pid ${held.busy.pid} on ${held.busy.host}).`,
      `\`talaria serve --status\` says what it does; end that one first if you want to run another: kill ${held.busy.pid}`,
    );
  const { lost, look } = stack.use(held);
  return { replaced: lost, look };
}
