import type { Agent, Reconciled } from "../agent/index.ts";
import type { Broker } from "../approvals/broker.ts";
import type { SessionId } from "../core/ids.ts";
import { endOrphans } from "../maintenance/orphans.ts";
import type { Closing } from "./closing.ts";
import type { Foundation } from "./foundation.ts";
import { forgetChats } from "./gateway/chat-retention.ts";
import type { HostLearning } from "./learning/host-learning.ts";
import { settleCutOff } from "../work/index.ts";
import { pruneEvents } from "./sessions/event-retention.ts";

/** What a process is to its home: it came for something of its own, or it runs what nobody waits for. */
type HomeRole = "client" | "executor";

type Parts = Foundation &
  Pick<HostLearning, "learning" | "learned"> & { readonly broker: Broker; readonly agent: Agent };

type Repair = (parts: Parts) => Promise<void>;

/**
 * Repair goes by kind. What a crash has broken is mended by whoever opens the home next, so that nothing stays broken while
 * no executor runs; what somebody else has asked for is no damage, and is taken by an executor alone.
 */
const repairs: Readonly<Record<HomeRole, readonly Repair[]>> = {
  client: [endChildren, withdrawQuestions, settleLearned, closeTurns, settleWork],
  executor: [endChildren, withdrawQuestions, settleLearned, closeTurns, settleWork, runChats],
};

/** And beside everything else goes what need not be kept any more. */
export async function repair(parts: Parts, ending: Closing): Promise<void> {
  const { executor, skipRepair, endsOrphans } = parts.options;
  if (skipRepair === true) return endsOrphans === true ? endChildrenBeside(parts, ending) : undefined;
  const role = executor === true ? "executor" : "client";
  for (const each of repairs[role]) await each(parts);
  pruneEvents(parts, ending);
  forgetChats(parts, ending);
}

type LeftSession = Pick<Foundation, "store" | "isGone" | "clock" | "log"> & Pick<Parts, "broker" | "agent">;

/** The same for one session, of which somebody waits for the end of a turn, while this process is at work. */
export async function repairSession(parts: LeftSession, session: SessionId): Promise<void> {
  await endChildren(parts);
  await withdrawQuestions(parts);
  reconciled(parts, await parts.agent.reconcileSession(session));
}

/** For a process that repairs nothing, and runs commands: one that went on without its host must not leave those of that host. */
function endChildrenBeside(parts: Foundation, { track }: Closing): void {
  const failed = (error: unknown): void => parts.log(`what was left running was not ended: ${String(error)}`);
  void track(endChildren(parts).catch(failed));
}

/** Of processes of this machine that are gone. */
async function endChildren({
  store,
  isGone,
  clock,
  log,
}: Omit<LeftSession, "broker" | "agent">): Promise<void> {
  const { found, ended } = await endOrphans(store, isGone, clock);
  if (found > 0) log(`ended ${ended} of ${found} processes that an earlier run left behind`);
}

/** For which nobody waits any more. */
async function withdrawQuestions({ broker }: Pick<Parts, "broker">): Promise<void> {
  await broker.reconcile();
}

/** Files that were half written, and what was to be forgotten. */
async function settleLearned({ learning, learned }: Parts): Promise<void> {
  await learning.files.reconcile();
  await learned.learned.settleForgotten();
}

/** Whose owner is gone; what was typed behind them is set aside. */
async function closeTurns(parts: Parts): Promise<void> {
  const isAny = reconciled(parts, await parts.agent.reconcile());
  // An owner may have died since its children were looked for.
  if (isAny) await endChildren(parts);
}

function reconciled({ log }: Pick<Parts, "log">, { turns, setAside }: Reconciled): boolean {
  const isAny = turns + setAside > 0;
  if (isAny) log(`reconciled: ${turns} turns, ${setAside} set aside`);
  return isAny;
}

/** What was handed on, and looked back at, by processes that are gone. */
async function settleWork({ log, ...parts }: Parts): Promise<void> {
  const found = await settleCutOff(parts);
  if (found > 0) log(`${found} delegated tasks or reviews were cut off with their process`);
}

async function runChats({ agent, log }: Parts): Promise<void> {
  const started = await agent.runWaiting();
  if (started > 0) log(`started ${started} messages of chats`);
}
