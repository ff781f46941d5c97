import { createHash } from "node:crypto";
import type { NoticeEvent } from "../../../core/events.ts";
import { type Fault, FaultError } from "../../../core/faults.ts";
import type { Json } from "../../../core/json.ts";
import type { Message } from "../../../core/messages.ts";
import { RpcError } from "../../../lib/rpc/rpc-message.ts";
import type { Ports, Turn } from "../../runtime.ts";
import type { AppServer } from "../process/app-server.ts";
import { commandEnvironment, seenOfTerminal } from "../thread-settings/command-environment.ts";
import { codexMcpServers } from "../thread-settings/mcp-servers.ts";
import { withoutOwnServer } from "../settings-file/own-server.ts";
import { type OfferedTools, catalogue, dynamicTools } from "../thread-settings/offered-tools.ts";
import type { CodexPlan } from "../plan.ts";
import { doorProfile } from "../thread-settings/door-profile.ts";
import { keylessProfile, wantsKeylessProfile } from "../thread-settings/keyless-profile.ts";
import { isNarrowed, limits } from "../thread-settings/limits.ts";
import { type Opened, openWithLimits } from "./open-with-limits.ts";
import { type UserSettings, readUserSettings } from "../thread-settings/user-settings.ts";
import { withoutProjectFiles } from "../thread-settings/project-files.ts";
import {
  knowsDroppedProject,
  newProjectText,
  startInstructions,
  projectBinding,
} from "../thread-settings/project-instructions.ts";
import { projectTrust } from "../thread-settings/project-trust.ts";
import {
  type ThreadBinding,
  currentTurn,
  developerItem,
  located,
  readBinding,
  seedItems,
  unseenMessages,
} from "./seed.ts";
import { missingItems } from "./missing-items.ts";
import { request, unsubscribe } from "./requests.ts";
import { contextOf, newContext } from "./told-context.ts";
import { forgetTotal } from "./thread-total.ts";
import { canFindTools } from "./tool-finding.ts";
import { fitTools } from "../thread-settings/tool-room.ts";
import { hasAbility } from "../process/version.ts";
import { fieldsOf, textIn } from "../wire/fields.ts";
import { threadIdOf } from "../wire/scope.ts";

/** A thread that is ready for this turn: it knows everything that was said before. */
export type OpenThread = {
  readonly id: string;
  readonly model: string;
  /** Where codex writes it down. */
  readonly file?: string;
  /** What the project says, when the thread was started without it. */
  readonly projectNews?: string;
  readonly binding: ThreadBinding;
  /** The binding is in the store as it is. */
  readonly isKept?: true;
  /** Nothing of it is in the store. */
  readonly isNew?: true;
  readonly notices: readonly NoticeEvent[];
};

/**
 * A thread that a process has loaded. `settingsKey`: stands for its settings (project files off, what commands see of the
 * terminal), which cannot be changed while it is loaded.
 */
type LoadedThread = Pick<Opened, "keyless" | "fenced"> &
  Pick<OpenThread, "model" | "file"> & { readonly settingsKey: string };

/** Threads that a process has loaded: those need no resuming, unless they need other limits. */
const loaded = new WeakMap<AppServer, Map<string, LoadedThread>>();
/** Which process of ours had a thread last, of the threads that were opened last. */
const holders = new Map<string, WeakRef<AppServer>>();

/** Goes on with the session's thread, or starts one and tells it the history. */
export async function openThread(
  server: AppServer,
  turn: Turn,
  ports: Ports,
  plan: CodexPlan,
  tools: OfferedTools,
): Promise<OpenThread> {
  const thread = await openBound(server, turn, ports, plan, tools);
  // An old codex ignores the context of a turn: there it is told before it.
  if (!hasAbility("turnContext", server.userAgent)) {
    const news = newContext(server, thread.id, contextOf(thread, turn));
    await inject(server, thread.id, news.map(developerItem), ports);
  }
  return thread;
}

async function openBound(
  server: AppServer,
  turn: Turn,
  ports: Ports,
  plan: CodexPlan,
  tools: OfferedTools,
): Promise<OpenThread> {
  const binding = readBinding(await ports.binding.load());
  if (binding === undefined) return startThread(server, turn, ports, plan, tools, undefined);
  if (binding.tools !== catalogue(tools)) {
    return startThread(server, turn, ports, plan, tools, "The tools have changed");
  }
  if (knowsDroppedProject(turn, binding)) {
    return startThread(server, turn, ports, plan, tools, "The project's instructions are now left out");
  }
  // Mostly the turn before was this thread's own: then nothing of the past has to be read.
  const current = currentTurn(turn, binding);
  const past = current === undefined ? await turn.past() : undefined;
  const own = current === undefined ? {} : { turn: current };
  const last = past === undefined ? { ...binding, ...own } : located(binding, past);
  const news = past === undefined ? [] : unseenMessages(past.history, last);
  if (news === undefined) return startThread(server, turn, ports, plan, tools, "Its history has changed");
  if (past?.view !== undefined && news.length > past.view.length) {
    return startThread(server, turn, ports, plan, tools, "It was shortened meanwhile");
  }
  try {
    const wasLoaded = loaded.get(server)?.has(binding.thread) === true;
    const resumed = await resumeOnceFree(server, binding, turn, ports, plan);
    const rest = wasLoaded ? seedItems(news) : await missingItems(server, last, news, turn, ports);
    if (rest === undefined) {
      return startThread(server, turn, ports, plan, tools, "Codex ended before it had written it down");
    }
    await inject(server, binding.thread, rest, ports);
    const projectNews = newProjectText(turn, binding);
    const at = past?.history.length ?? binding.at;
    const now = bindingOf(binding.thread, at, binding.tools, resumed.fenced, {
      ...(binding.project === undefined ? {} : { project: binding.project }),
      ...(projectNews === undefined && binding.projectTold !== true ? {} : { projectTold: true }),
    });
    // The turn may still not come about, and then the next one must not tell it again.
    if (rest.length > 0) await ports.binding.save({ ...binding, told: (await turn.past()).history.length });
    const isKept =
      past === undefined &&
      rest.length === 0 &&
      now.fenced === binding.fenced &&
      now.projectTold === binding.projectTold;
    return {
      id: now.thread,
      ...resumed,
      binding: now,
      ...(isKept ? { isKept } : {}),
      ...(projectNews === undefined ? {} : { projectNews }),
    };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    // Held by a process of ours that is being replaced, the thread is not in use; by anybody else, it is.
    if (isBusyElsewhere(error) && !isHeldByUs(binding.thread, server)) throw error;
    const why = isBusyElsewhere(error)
      ? "Codex was started anew"
      : `It could not be resumed (${error.message})`;
    return startThread(server, turn, ports, plan, tools, why);
  }
}

/** Another codex process writes to the thread: starting a second one silently would split the conversation. */
export const isBusyElsewhere = (error: RpcError): boolean =>
  error.message.includes("already has an active writer");

/** Another Talaria that rests on the thread hears of this turn within a quarter of a second, and lets it go. */
async function resumeOnceFree(...[server, binding, turn, ports, plan]: Parameters<typeof resume>) {
  const { clock, signal } = ports;
  const until = clock.monotonic() + freeMs;
  for (;;) {
    try {
      return await resume(server, binding, turn, ports, plan);
    } catch (error) {
      const isBusy = error instanceof RpcError && isBusyElsewhere(error);
      if (!isBusy || isHeldByUs(binding.thread, server) || clock.monotonic() > until) throw error;
      await clock.sleep(lookMs, signal);
    }
  }
}

const freeMs = 3_000;
const lookMs = 100;

function isHeldByUs(thread: string, server: AppServer): boolean {
  const holder = holders.get(thread)?.deref();
  return holder !== undefined && holder !== server && holder.alive;
}

async function resume(
  server: AppServer,
  { thread, fenced: wasFenced = false }: ThreadBinding,
  turn: Turn,
  ports: Ports,
  plan: CodexPlan,
): Promise<LoadedThread & Pick<OpenThread, "notices">> {
  const known = loaded.get(server)?.get(thread);
  const projectFilesOff = await withoutProjectFiles(server, turn.cwd, ports);
  const settingsKey = settingsKeyOf(projectFilesOff, turn, plan);
  const isSame = (keyless: boolean): boolean =>
    known?.keyless === keyless && known.settingsKey === settingsKey;
  if (known !== undefined && isSame(turn.unattended === true)) return { ...known, notices: [] };
  const user = await readUserSettings(server, plan, ports);
  const keylessly = await keylessProfile(server, turn, plan, user);
  if (known !== undefined && isSame(keylessly !== undefined)) return { ...known, notices: [] };
  // A loaded thread would keep its old settings.
  if (known !== undefined && !hasAbility("profiles", server.userAgent))
    throw new RpcError(-32600, "this codex takes no new settings for a thread that it has in hand");
  if (known !== undefined) await unload(server, thread, ports);
  // Codex keeps a thread's tools, and since 0.166 the limits that it was started with, but not its MCP servers.
  const keepsLimits = hasAbility("keepsLimits", server.userAgent) && !wasFenced && known === undefined;
  const config = threadConfig(plan, turn, user, codexMcpServers(plan.mcpServers, user.mcpServers).servers);
  const profile = keylessly ?? (await doorProfile(server, turn, plan, user));
  const { reply, notices, ...limited } = await openWithLimits(server, "thread/resume", ports, profile, {
    wantsKeylessProfile: wantsKeylessProfile(turn, plan),
    plain: keepsLimits && profile === undefined ? {} : limits(plan, user),
    params: (own, more) => ({
      threadId: thread,
      cwd: turn.cwd,
      excludeTurns: true,
      // A thread keeps who answers its questions, whatever the process was told.
      approvalsReviewer: "user",
      ...own,
      config: { ...config, ...projectFilesOff, ...more },
    }),
  });
  return { ...remember(server, thread, { ...factsOf(reply), ...limited, settingsKey }), notices };
}

/** Short, because it is kept for every thread. */
const settingsKeyOf = (projectFilesOff: object, turn: Turn, plan: CodexPlan): string =>
  createHash("sha256")
    .update(JSON.stringify([projectFilesOff, seenOfTerminal({ turn, plan }), plan.hidden]))
    .digest("base64");

/** Makes codex unload it. */
async function unload(server: AppServer, thread: string, ports: Ports): Promise<void> {
  await unsubscribe(server, thread, ports);
  forgetLoaded(server, thread);
}

/** The next turn resumes it. */
export function forgetLoaded(server: AppServer, thread: string): void {
  loaded.get(server)?.delete(thread);
  forgetTotal(server, thread);
}

async function startThread(
  server: AppServer,
  turn: Turn,
  ports: Ports,
  plan: CodexPlan,
  tools: OfferedTools,
  why: string | undefined,
): Promise<OpenThread> {
  const reading = readUserSettings(server, plan, ports);
  const wanted = turn.model ?? plan.model;
  const fitting = fitTools(tools, turn.instructions);
  const isFindable = async (): Promise<boolean> =>
    fitting.specs.some((spec) => spec.deferred) &&
    canFindTools(server, wanted ?? (await reading).model, ports.signal);
  const [user, findable, projectFilesOff] = await Promise.all([
    reading,
    isFindable(),
    withoutProjectFiles(server, turn.cwd, ports),
  ]);
  const mcp = codexMcpServers(plan.mcpServers, user.mcpServers);
  const config = threadConfig(plan, turn, user, mcp.servers);
  const profile =
    (await keylessProfile(server, turn, plan, user)) ?? (await doorProfile(server, turn, plan, user));
  const { reply, keyless, fenced, notices } = await openWithLimits(server, "thread/start", ports, profile, {
    wantsKeylessProfile: wantsKeylessProfile(turn, plan),
    plain: limits(plan, user),
    params: (limited, more) => ({
      cwd: turn.cwd,
      developerInstructions: startInstructions(turn),
      dynamicTools: dynamicTools(fitting, { nested: hasAbility("nestedTools", server.userAgent), findable }),
      ...limited,
      config: { ...config, ...projectFilesOff, ...more },
      ...setOnly({ model: wanted }),
    }),
  });
  const found = threadIdOf(reply);
  if ("missing" in found) throw new FaultError(noThreadId(found.missing));
  const { id } = found;
  const { history, view = history } = await turn.past();
  await inject(server, id, seedItems(view), ports);
  remember(server, id, {
    ...factsOf(reply),
    keyless,
    fenced,
    settingsKey: settingsKeyOf(projectFilesOff, turn, plan),
  });
  return {
    id,
    isNew: true,
    ...factsOf(reply),
    binding: bindingOf(id, history.length, catalogue(tools), fenced, projectBinding(turn)),
    notices: [
      ...seedNotice(history, why),
      ...mcp.notices.map(notice("mcp_server")),
      ...notices,
      ...(!keyless && isNarrowed(plan, user) ? [notice("codex_limits")(narrowed)] : []),
    ],
  };
}

const narrowed =
  "This folder has Talaria's own files in it, so commands of codex can read here, and write only what you allow. Start Talaria in a project's folder to be asked less.";

/** What is to be kept of a thread that begins this turn. */
const bindingOf = (
  thread: string,
  at: number,
  tools: string,
  fenced: boolean,
  knows: Pick<ThreadBinding, "project" | "projectTold">,
): ThreadBinding => ({ thread, at, tools, ...(fenced ? { fenced } : {}), ...knows });

function seedNotice(history: readonly Message[], why: string | undefined): readonly NoticeEvent[] {
  if (history.length === 0 && why === undefined) return [];
  const reason = why === undefined ? "" : `${why}. `;
  const text = `${reason}The conversation goes on in a new codex thread, with what was said so far; its prompt cache is cold.`;
  return [notice("thread_seeded")(text)];
}

const notice =
  (code: string) =>
  (text: string): NoticeEvent => ({ type: "notice", code, text });

export const noThreadId = (received: string): Fault => ({
  code: "protocol",
  message: `codex started a thread but gave it no id; it sent ${received}.`,
  next: "This version of codex may be too new: see `talaria doctor`, and report it with a recording.",
});

function threadConfig(
  plan: CodexPlan,
  turn: Turn,
  user: UserSettings,
  added: Readonly<Record<string, Json>>,
): object {
  const { network, ownProgram } = plan;
  const { mcpServers, projects } = user;
  const servers = { ...added, ...withoutOwnServer(mcpServers, ownProgram) };
  return {
    ...projectTrust(turn.cwd, projects),
    ...commandEnvironment({ turn, plan }, user),
    // One that is let go goes soon, with all that it has left running.
    thread_unload_delay_secs: 1,
    ...(network ? { "sandbox_workspace_write.network_access": true } : {}),
    ...(Object.keys(servers).length === 0 ? {} : { mcp_servers: servers }),
  };
}

async function inject(
  server: AppServer,
  thread: string,
  items: readonly Json[],
  ports: Ports,
): Promise<void> {
  if (items.length === 0) return;
  await request(server, "thread/inject_items", { threadId: thread, items: items as Json }, ports);
}

/** More than are in use when a process is replaced. */
const mostHolders = 1000;

function remember(server: AppServer, thread: string, how: LoadedThread): LoadedThread {
  const threads = loaded.get(server) ?? new Map<string, LoadedThread>();
  loaded.set(server, threads.set(thread, how));
  holders.delete(thread);
  holders.set(thread, new WeakRef(server));
  for (const oldest of holders.keys()) if (holders.size > mostHolders) holders.delete(oldest);
  return how;
}

function factsOf(reply: unknown): Pick<OpenThread, "model" | "file"> {
  const file = textIn(fieldsOf(fieldsOf(reply)["thread"]), "path");
  const model = textIn(fieldsOf(reply), "model") ?? "";
  return { model, ...(file === undefined ? {} : { file }) };
}

const setOnly = (fields: Record<string, unknown>): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
