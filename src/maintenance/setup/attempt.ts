import type { Loaded } from "../../config/config.ts";
import type { SetupAttempt } from "../../core/maintenance.ts";
import type { Fault } from "../../core/faults.ts";
import type { Client } from "../../core/calls.ts";
import type { OpenClient } from "../../core/host.ts";
import { newId } from "../../core/ids.ts";
import type { Clock } from "../../lib/clock.ts";
import { noLongerNeeded } from "../../lib/no-longer-needed.ts";
import { codexLogin, usesOpenAi } from "../codex-login.ts";
import type { HostParts } from "../host-parts.ts";
import { scratchHome } from "../scratch-home.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Opens a host in this environment. */
export type OpenTrial = (env: Env, cwd: string) => Promise<OpenClient>;

type TurnTrial = {
  /** What config.yaml would say. */
  readonly settings: string;
  readonly env: Env;
  readonly open: OpenTrial;
  readonly clock: Clock;
  readonly signal: AbortSignal;
};

/** A model that is loaded for its first turn takes its time. */
const limitMs = 180_000;

/** One real turn in a home of its own, which is gone when this settles. */
export async function tryTurn({ settings, env, open, clock, signal }: TurnTrial): Promise<SetupAttempt> {
  const begun = clock.monotonic();
  await using scratch = await scratchHome("setup", settings);
  await using client = await open({ ...env, TALARIA_HOME: scratch.home }, scratch.cwd);
  const ended = await oneTurn(client, scratch.cwd, clock, signal);
  signal.throwIfAborted();
  if (ended === "late") return { ok: false, fault: tooLate };
  if (ended.fault !== undefined) return { ok: false, fault: ended.fault };
  return { ok: true, text: ended.text, ms: Math.round(clock.monotonic() - begun) };
}

async function oneTurn(
  client: Client,
  cwd: string,
  clock: Clock,
  signal: AbortSignal,
): Promise<{ readonly text: string; readonly fault?: Fault } | "late"> {
  const id = newId("ses", clock.now());
  const done = new AbortController();
  const stop = (): void => void client.call("turns.stop", { session: id }).catch(() => {});
  signal.addEventListener("abort", stop, { once: true, signal: done.signal });
  const late = clock.sleep(limitMs, done.signal, { hold: true }).then(
    () => (stop(), "late" as const),
    () => "late" as const,
  );
  try {
    const { inbox } = await client.call("turns.send", {
      key: { surface: "cli", account: "", chat: id, messageId: "setup" },
      session: { id, cwd, surface: "cli", audience: "owner" as const },
      input: [{ type: "text", text: "This is a test of the connection. Reply with the single word: ready" }],
      whenBusy: "queue",
      attended: "none",
    });
    const ended = await Promise.race([client.call("turns.wait", { inbox }), late]);
    if (ended === "late" || ended === null) return "late";
    return { text: ended.text, ...(ended.fault === undefined ? {} : { fault: ended.fault }) };
  } finally {
    done.abort(noLongerNeeded);
  }
}

const tooLate: Fault = {
  code: "network",
  message: `The turn did not come to an end within ${limitMs / 60_000} minutes.`,
  next: "Check whether the model server is busy, then try again.",
};

/** Why codex's own login cannot be used: known at once, where the turn itself would try for a while. */
export async function loginProblem(
  { config }: Loaded,
  env: Env,
  findCodex: HostParts["findCodex"],
  how: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Fault | undefined> {
  const found = await findCodex(how.signal);
  if ("code" in found) return found;
  const login = await codexLogin(found.path, config, env, how);
  if (login.state === "out" && usesOpenAi(login))
    return {
      code: "auth",
      message: `Codex is not logged in (${login.home}).`,
      next: "Log in, then try again: talaria codex login",
    };
  if (login.state === "unreadable")
    return {
      code: "auth",
      message: `Codex cannot read its login: ${login.message}`,
      next: "Log in again: talaria codex login",
    };
  if (login.state !== "settings") return undefined;
  return {
    code: "config",
    message: `Codex cannot read its own settings: ${login.message}`,
    next: `Correct config.toml in ${login.home}.`,
  };
}
