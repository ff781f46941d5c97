import { type AuxiliaryImage, auxiliaryInput } from "../../core/auxiliary.ts";
import type { Usage } from "../../core/events.ts";
import { type Fault, FaultError } from "../../core/faults.ts";
import { newId } from "../../core/ids.ts";
import type { Json } from "../../core/json.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Ports, Turn } from "../runtime.ts";
import type { AppServer } from "./process/app-server.ts";
import { faultOf } from "./codex.ts";
import { followTurn } from "./follow-turn.ts";
import type { LiveTurn } from "./live-turn.ts";
import { sideThreadSettings, unloadThread, withoutMcpServers } from "./thread/ephemeral-thread.ts";
import { hostNamespace } from "./thread-settings/offered-tools.ts";
import type { CodexPlan } from "./plan.ts";
import type { AppServerPool } from "./process/pool.ts";
import { startTurn } from "./start-turn.ts";
import { type OpenThread, noThreadId } from "./thread/thread.ts";
import { leftovers } from "./watch/leftovers.ts";
import { beginTurn } from "./items/turn-machine.ts";
import { fieldsOf, textIn } from "./wire/fields.ts";
import { threadIdOf } from "./wire/scope.ts";

/** One question beside all conversations. */
export type EphemeralQuestion = {
  readonly instructions: string;
  readonly input: string;
  readonly images?: readonly AuxiliaryImage[];
  /** JSON Schema that the answer must follow. */
  readonly outputSchema?: Json;
  readonly model?: string;
};

/** `usage` also where there is no answer: it was spent. `model` is empty if none was reached. */
export type EphemeralAnswer = {
  readonly model: string;
  readonly usage?: Usage;
} & ({ readonly text: string } | { readonly fault: Fault });

type Deps = { readonly pool: AppServerPool; readonly clock: Clock };

/**
 * Asks on a thread that codex keeps nowhere, in the process that the conversations share. The thread has no tools of
 * ours, cannot write, and every request it makes is declined. Never rejects.
 */
export async function askEphemeral(
  deps: Deps,
  plan: CodexPlan,
  question: EphemeralQuestion,
  signal: AbortSignal,
): Promise<EphemeralAnswer> {
  try {
    using lease = await deps.pool.lease(plan.launch, signal);
    const { server } = lease;
    const thread = await startThread(server, plan, question, signal);
    try {
      return await answerOn(deps, server, thread, plan, question, signal);
    } finally {
      unloadThread(server, thread.id);
    }
  } catch (error) {
    return { model: "", fault: signal.aborted ? stopped : faultOf(error, plan) };
  }
}

async function answerOn(
  { pool, clock }: Deps,
  server: AppServer,
  thread: OpenThread,
  plan: CodexPlan,
  question: EphemeralQuestion,
  signal: AbortSignal,
): Promise<EphemeralAnswer> {
  const turn = turnOf(question, clock);
  const ports = portsOf(clock, signal);
  using feed = server.feed(thread.id);
  signal.throwIfAborted();
  const turnId = await startTurn(server, thread, turn);
  const state = beginTurn({ threadId: thread.id, turnId, cwd: turn.cwd, hostNamespace });
  const out = { push() {} }; // nobody watches it
  const none = { names: [], specs: [] };
  const live: LiveTurn = {
    server,
    thread,
    tools: none,
    turn,
    ports,
    plan,
    out,
    state,
    declines: new Map(),
    left: leftovers(),
  };
  const { ended, drain } = await followTurn(live, feed);
  if (drain !== undefined) pool.drain(server, drain);
  const { outcome, text, usage, fault } = ended;
  const spent = { model: thread.model, ...(usage === undefined ? {} : { usage }) };
  if (outcome === "done" && text !== "") return { ...spent, text };
  return { ...spent, fault: fault ?? (outcome === "interrupted" ? stopped : nothingSaid) };
}

const startMs = 15_000;

async function startThread(
  server: AppServer,
  plan: CodexPlan,
  { instructions, model = plan.model }: EphemeralQuestion,
  signal: AbortSignal,
): Promise<OpenThread> {
  const params = {
    cwd: nowhere,
    ephemeral: true,
    sandbox: "read-only",
    approvalPolicy: "never",
    baseInstructions: instructions,
    environments: [],
    config: { ...bare, ...(await withoutMcpServers(server, nowhere, signal)) },
    ...(model === undefined ? {} : { model }),
  };
  const reply = await server.request("thread/start", params, { signal, timeoutMs: startMs });
  const found = threadIdOf(reply);
  if ("missing" in found) throw new FaultError(noThreadId(found.missing));
  const { id } = found;
  return {
    id,
    model: textIn(fieldsOf(reply), "model") ?? "",
    binding: { thread: id, at: 0, tools: "" },
    notices: [],
  };
}

/** There is nothing to do in any folder, and no project's instructions are wanted. */
const nowhere = "/";

/** Leaves of the prompt what such a question needs: a tenth of the usual. */
const bare = {
  ...sideThreadSettings,
  include_permissions_instructions: false,
  include_environment_context: false,
  include_apps_instructions: false,
  include_collaboration_mode_instructions: false,
  "skills.include_instructions": false,
  project_doc_max_bytes: 0,
  web_search: "disabled",
  "features.plugins": false,
  "features.shell_tool": false,
  "features.unified_exec": false,
  "features.view_image": false,
} as const;

const turnOf = (question: EphemeralQuestion, clock: Clock): Turn => ({
  id: newId("trn", clock.now()),
  session: newId("ses", clock.now()),
  cwd: nowhere,
  past: async () => ({ history: [] }),
  input: auxiliaryInput(question),
  instructions: "",
  project: "",
  context: [],
  // However much thought the person wants for work, this needs little.
  effort: "low",
  ...(question.outputSchema === undefined ? {} : { outputSchema: question.outputSchema }),
});

/** Nobody is there, and nothing is allowed. */
const portsOf = (clock: Clock, signal: AbortSignal): Ports => ({
  signal,
  clock,
  ask: async () => ({ choice: "deny", why: "policy", reason: "not allowed beside a conversation" }),
  inquire: async () => undefined,
  tools: { specs: [], enabled: [], call: async () => ({ ok: false, output: "There are no tools here." }) },
  binding: { load: async () => undefined, save: async () => {} },
  processes: { add: async () => {}, remove: async () => {} },
});

const stopped: Fault = {
  code: "lost",
  message: "The question to codex was given up before it was answered.",
  next: "Try again.",
};

const nothingSaid: Fault = {
  code: "protocol",
  message: "Codex ended the question without an answer.",
  next: "Try again, or choose another model for this task under `auxiliary`.",
};
