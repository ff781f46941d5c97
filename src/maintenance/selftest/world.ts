import type { EndedEvent, Envelope } from "../../core/events.ts";
import type { Client } from "../../core/calls.ts";
import type { OpenClient } from "../../core/host.ts";
import { type SessionId, newId } from "../../core/ids.ts";
import { listen } from "../../core/client/listening.ts";
import type { CallItem } from "../../core/items.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Store } from "../../store/store.ts";
import { scratchHome } from "../scratch-home.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Opens a host of its own, which tells of the children that it starts. */
export type OpenTested = (
  scratch: { readonly env: Env; readonly homeDir: string; readonly cwd: string },
  wrapStore: (store: Store) => Store,
) => Promise<OpenClient>;

/** A home, a CODEX_HOME and a working folder that are gone afterwards; nothing of the person's is used. */
export type TestWorld = AsyncDisposable & {
  readonly cwd: string;
  readonly session: SessionId;
  /** Pids of the children that were started, by what they are. */
  readonly children: readonly { readonly pid: number; readonly kind: string }[];
  /** The host that is open; a new one after `reopen`. */
  host(): Promise<OpenClient>;
  reopen(): Promise<OpenClient>;
  say(text: string, how: SayOptions): Promise<TurnReport>;
};

export type SayOptions = {
  readonly runtime: "loop" | "codex";
  readonly session?: SessionId;
  readonly onEvent?: (event: Envelope) => void;
};

export type TurnReport = Pick<EndedEvent, "outcome" | "text" | "fault"> & {
  readonly calls: readonly CallItem[];
  /** Questions that came; each was answered with No. */
  readonly asked: number;
};

export async function testWorld(options: {
  readonly env: Env;
  /** The codex that the person has named. */
  readonly codexBin?: string;
  readonly open: OpenTested;
  readonly clock: Clock;
}): Promise<TestWorld> {
  await using parts = new AsyncDisposableStack();
  const scratch = parts.use(await scratchHome("selftest", settings(options.codexBin)));
  const { cwd, user: homeDir } = scratch;
  const { PATH, LANG, TERM } = options.env;
  const env = { PATH, LANG, TERM, HOME: homeDir, TALARIA_HOME: scratch.home, TMPDIR: scratch.tmp };
  const children: { pid: number; kind: string }[] = [];
  const watching = (store: Store): Store => ({
    ...store,
    processes: {
      ...store.processes,
      add: (child) => (children.push(child), store.processes.add(child)),
    },
  });
  let opened: Promise<OpenClient> | undefined;
  const close = async (): Promise<void> => {
    await (await opened?.catch(() => undefined))?.[Symbol.asyncDispose]();
    opened = undefined;
  };
  parts.defer(close);
  const host = (): Promise<OpenClient> => (opened ??= options.open({ env, homeDir, cwd }, watching));
  const session = newId("ses", options.clock.now());
  const owned = parts.move();
  return {
    cwd,
    session,
    children,
    host,
    reopen: async () => (await close(), host()),
    say: async (text, how) => say(await host(), cwd, text, { session, ...how }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function settings(codexBin: string | undefined): string {
  const bin = codexBin === undefined ? "" : `, codex_bin: ${JSON.stringify(codexBin)}`;
  return `model: { provider: demo${bin} }\n`;
}

async function say(
  client: Client,
  cwd: string,
  text: string,
  { runtime, session, onEvent }: SayOptions & { readonly session: SessionId },
): Promise<TurnReport> {
  const calls: CallItem[] = [];
  let asked = 0;
  const hear = (event: Envelope): void => {
    onEvent?.(event);
    if (event.type === "item" && event.item.kind === "call") calls.push(event.item);
    if (event.type !== "approval" || event.approval.decision !== undefined) return;
    asked += 1;
    void client.call("approvals.answer", { approval: event.approval.id, choice: "deny" });
  };
  let broken: unknown;
  const listening = listen(client, session, hear, { onError: (error) => (broken = error) });
  using cleanup = new DisposableStack();
  cleanup.defer(() => listening.leave());
  const { inbox } = await client.call("turns.send", {
    key: { surface: "cli", account: "", chat: session, messageId: newId("inb", 0) },
    session: (await exists(client, session))
      ? session
      : { id: session, cwd, surface: "cli", audience: "owner" as const },
    input: [{ type: "text", text }],
    whenBusy: "queue",
    attended: "ask",
    choices: { runtime },
  });
  const ended = await client.call("turns.wait", { inbox });
  if (ended === null) throw new Error("the turn was set aside");
  await listening.heard(ended.turn);
  if (broken !== undefined) throw broken;
  return { ...ended, calls, asked };
}

const exists = (client: Client, session: SessionId): Promise<boolean> =>
  client.call("sessions.get", { session }).then(
    () => true,
    () => false,
  );
