import type { EndedEvent } from "../../core/events.ts";
import { type Fault, FaultError } from "../../core/faults.ts";
import type { Json } from "../../core/json.ts";
import { RpcError } from "../../lib/rpc/rpc-message.ts";
import type { Ports, Turn } from "../runtime.ts";
import { followTurn } from "./follow-turn.ts";
import { leftovers } from "./watch/leftovers.ts";
import { beginTurn } from "./items/turn-machine.ts";
import type { LiveTurn } from "./live-turn.ts";
import type { CodexPlan } from "./plan.ts";
import type { AppServer } from "./process/app-server.ts";
import type { AppServerPool } from "./process/pool.ts";
import type { EventSink } from "./pushed-events.ts";
import { startTurn } from "./start-turn.ts";
import { sideThreadSettings, unloadThread, withoutMcpServers } from "./thread/ephemeral-thread.ts";
import { withoutProjectFiles } from "./thread-settings/project-files.ts";
import { type Offer, hostNamespace, offered } from "./thread-settings/offered-tools.ts";
import { hasReadOnlyProfile, readOnlyProfile } from "./thread-settings/read-only-profile.ts";
import { type ThreadBinding, located, readBinding, seedItems, unseenMessages } from "./thread/seed.ts";
import { totalBefore } from "./thread/thread-total.ts";
import { type OpenThread, noThreadId } from "./thread/thread.ts";
import { fieldsOf, textIn } from "./wire/fields.ts";
import { threadIdOf } from "./wire/scope.ts";

const requestMs = 15_000;

type Deps = {
  readonly pool: AppServerPool;
  readonly plan: (turn: Turn, signal: AbortSignal) => Promise<CodexPlan | Fault>;
  readonly offer: Offer;
};

/**
 * Runs a turn on a fork of the session's thread that codex keeps nowhere. History and prompt cache come along; the fork
 * cannot write and sees no keys and logins (where codex cannot hide them, it runs no commands), whatever it asks for is
 * declined, and it reaches the host tools of `ports` alone. The thread itself goes on as if nothing were. `start` is told the model. Rejects when the turn could not be begun.
 */
export async function runSideTurn(
  deps: Deps,
  turn: Turn,
  turnPorts: Ports,
  out: EventSink,
  start: (facts: { readonly model: string }) => void,
): Promise<EndedEvent> {
  const ports = { ...turnPorts, ...nobodyAttends };
  const binding = readBinding(await ports.binding.load());
  if (binding === undefined) throw new FaultError(noThread);
  const plan = await deps.plan(turn, ports.signal);
  if ("code" in plan) throw new FaultError(plan);
  using lease = await deps.pool.lease(plan.launch, ports.signal);
  const { server } = lease;
  const thread = await fork(server, binding, turn, plan, ports);
  try {
    using feed = server.feed(thread.id);
    ports.signal.throwIfAborted();
    const turnId = await startTurn(server, thread, turn);
    // A fork goes on counting where its thread is.
    const before = await totalBefore(server, { id: binding.thread });
    const state = beginTurn({ threadId: thread.id, turnId, cwd: turn.cwd, hostNamespace, ...before });
    const tools = offered(ports.tools, deps.offer);
    const parts = { server, thread, tools, turn, ports, plan, out, state };
    const live: LiveTurn = { ...parts, declines: new Map(), left: leftovers() };
    start({ model: turn.model ?? thread.model });
    const { ended, drain } = await followTurn(live, feed);
    if (drain !== undefined) deps.pool.drain(server, drain);
    // Where it ran is gone with it.
    const { side: _side, ...rest } = ended;
    return rest;
  } finally {
    unloadThread(server, thread.id);
  }
}

const nobodyAttends: Pick<Ports, "ask" | "inquire"> = {
  ask: async () => ({ choice: "deny", why: "policy", reason: "not allowed beside a conversation" }),
  inquire: async () => undefined,
};

/** Codex reads the thread from its files, so it need not be loaded, and may be at work. */
async function fork(
  server: AppServer,
  binding: ThreadBinding,
  turn: Turn,
  plan: CodexPlan,
  { signal }: Ports,
): Promise<OpenThread> {
  const past = await turn.past();
  const news = unseenMessages(past.history, located(binding, past));
  if (news === undefined) throw new FaultError(anotherHistory);
  const { model = plan.model } = turn;
  const asked = {
    threadId: binding.thread,
    cwd: turn.cwd,
    ephemeral: true,
    approvalPolicy: "never",
    excludeTurns: true,
    config: {
      ...sideThreadSettings,
      ...commandSettings(plan),
      ...(await withoutProjectFiles(server, turn.cwd, { signal })),
      ...(await withoutMcpServers(server, turn.cwd, signal)),
    },
    // With another one than the thread's, codex would shorten it first.
    ...(model === undefined ? {} : { model }),
  };
  const reply =
    (await forkReadOnly(server, asked, plan)) ??
    (await request(server, "thread/fork", {
      ...asked,
      sandbox: "read-only",
      config: { ...asked.config, ...withoutCommands },
    }));
  const found = threadIdOf(reply);
  if ("missing" in found) throw new FaultError(noThreadId(found.missing));
  const { id } = found;
  try {
    if (!isHarmless(reply)) throw new FaultError(notEphemeral);
    const items = seedItems(news);
    if (items.length > 0)
      await request(server, "thread/inject_items", { threadId: id, items: items as Json });
  } catch (error) {
    unloadThread(server, id);
    throw error;
  }
  return { id, model: textIn(fieldsOf(reply), "model") ?? "", binding, notices: [] };
}

/** A sandbox in which everything can be read is none for keys. It costs the prompt cache of the thread. */
const withoutCommands = {
  "features.shell_tool": false,
  "features.unified_exec": false,
  "features.view_image": false,
} as const;

/** No hook runs here, and so nobody looks at commands: where somebody should, there are none. */
const commandSettings = ({ guards = [] }: CodexPlan): object => (guards.length === 0 ? {} : withoutCommands);

/** `undefined`: this codex cannot do it. */
async function forkReadOnly(
  server: AppServer,
  asked: { readonly config: object },
  plan: CodexPlan,
): Promise<unknown> {
  const profile = await readOnlyProfile(server, plan);
  if (profile === undefined) return undefined;
  const params = { ...asked, config: { ...asked.config, ...profile } };
  const reply = await request(server, "thread/fork", params).catch((error: unknown) => {
    if (error instanceof RpcError) return undefined;
    throw error;
  });
  if (hasReadOnlyProfile(reply)) return reply;
  const found = threadIdOf(reply);
  if ("id" in found) unloadThread(server, found.id);
  return undefined;
}

/** Nobody gives it up: a fork whose id is lost could not be unloaded. */
const request = (server: AppServer, method: string, params: object): Promise<unknown> =>
  server.request(method, params, { signal: new AbortController().signal, timeoutMs: requestMs });

/** A codex that does not know these settings passes over them in silence. */
function isHarmless(reply: unknown): boolean {
  const { thread, sandbox, approvalPolicy } = fieldsOf(reply);
  return (
    fieldsOf(thread)["ephemeral"] === true &&
    fieldsOf(sandbox)["type"] === "readOnly" &&
    approvalPolicy === "never"
  );
}

const noThread: Fault = {
  code: "refused",
  message: "Codex has no thread of this session, so nothing can be run beside it.",
  next: "Send a message on codex first.",
};

const anotherHistory: Fault = {
  code: "refused",
  message: "The codex thread of this session does not know the conversation as it is now.",
  next: "Send a message on codex first: it tells the thread.",
};

const notEphemeral: Fault = {
  code: "protocol",
  message:
    "This codex cannot fork a thread that is kept nowhere and cannot write, so nothing was run beside it.",
  next: "Update it: npm install -g @openai/codex. See `talaria doctor` for the versions that were tested.",
};
