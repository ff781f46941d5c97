import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { tempFolder } from "../../test/temp-folder.ts";
import type { ApprovalState, Choice } from "../../src/core/asking.ts";
import type { Principal } from "../../src/core/principal.ts";
import type { Attended, Host } from "../../src/core/host.ts";
import { type SessionId, newId } from "../../src/core/ids.ts";
import { openHost } from "../../src/host/index.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { parseDemoScript } from "../../test/fakes/demo-script.ts";
import { startDemoModel } from "../../test/fakes/demo-model.ts";
import { codexHome, quietSettings } from "../../test/fakes/real-codex-home.ts";
import { type Places, type Tripwire, tripwire } from "./tripwires.ts";
import { asOwner, send } from "../../test/owners-host.ts";

/** What the person does about a question; `stop` stops the turn, `nobody`: there is no person. */
type Reaction = Choice | "stop" | "nobody" | "twice";
const reactions: readonly Reaction[] = ["once", "deny", "session", "stop", "nobody", "twice"];

export type RealResult = {
  readonly turns: number;
  readonly questions: number;
  readonly granted: number;
  readonly executed: number;
  /** Each difference between what was granted and what was done, in words. */
  readonly wrong: readonly string[];
};

/** Turns on the real codex whose model does what codex asks about: what is done must be what was granted. */
export async function realTurns(turns: number): Promise<RealResult> {
  await using parts = new AsyncDisposableStack();
  const outside = parts.use(await codexHome()).path;
  const home = parts.use(await codexHome()).path;
  const settings = `${quietSettings}[sandbox_workspace_write]\nexclude_slash_tmp = true\nexclude_tmpdir_env_var = true\n`;
  await writeFile(join(home, "config.toml"), settings);
  const { path: folder } = parts.use(await tempFolder());
  const places = { cwd: join(folder, "work"), outside };
  for (const name of ["work", "tmp"]) await mkdir(join(folder, name));
  const wires = Array.from({ length: turns }, (_, n) => tripwire(n, places));
  const model = parts.use(await startDemoModel({ clock: systemClock, script: scriptOf(wires) }));
  await mkdir(join(folder, "home"), { mode: 0o700 });
  const provider = `providers: { mine: { api: "${model.url}", protocol: responses } }\n`;
  await writeFile(
    join(folder, "home", "config.yaml"),
    `model: { provider: mine, default: gpt-5.5 }\n${provider}`,
    { mode: 0o600 },
  );
  const env = {
    PATH: process.env["PATH"],
    HOME: folder,
    TALARIA_HOME: join(folder, "home"),
    CODEX_HOME: home,
    TMPDIR: join(folder, "tmp"),
  };
  const host = parts.use(await openHost({ env, homeDir: folder, cwd: places.cwd, version: "0.0.0" }));
  return await runAll(host, wires, places);
}

/** `session`: the same call comes again in the same session, and is done without another question. */
const scriptOf = (wires: readonly Tripwire[]): ReturnType<typeof parseDemoScript> =>
  parseDemoScript({
    maxRequests: 10_000,
    steps: wires.flatMap(({ n, call }) => [
      { when: `trip ${n}$`, reply: [call] },
      { when: `again ${n}$`, reply: [call] },
    ]),
    otherwise: [{ text: "Well then." }],
  });

async function runAll(host: Host, wires: readonly Tripwire[], places: Places): Promise<RealResult> {
  const wrong: string[] = [];
  const sum = { questions: 0, granted: 0, executed: 0 };
  for (const wire of wires) {
    const reaction = reactions[Math.floor(wire.n / 3) % reactions.length] ?? "deny";
    const session = newId("ses", systemClock.now());
    const questions = await oneTurn(host, wire, session, places, reaction, `trip ${wire.n}`);
    const allowed = ["once", "session", "twice"].includes(reaction);
    const done = wire.tripped();
    sum.questions += questions;
    sum.granted += Number(allowed);
    sum.executed += Number(done);
    const name = `turn ${wire.n} (${wire.kind}, ${reaction})`;
    if (done !== allowed) wrong.push(`${name}: ${done ? "done" : "not done"}`);
    if (questions !== (reaction === "nobody" ? 0 : 1)) wrong.push(`${name}: ${questions} questions`);
    if (reaction !== "session") continue;
    if (wire.kind !== "delete") await rm(join(places.outside, `wire-${wire.n}`), { force: true });
    const again = await oneTurn(host, wire, session, places, "deny", `again ${wire.n}`);
    sum.questions += again;
    sum.granted += 1;
    sum.executed += Number(wire.tripped());
    if (again !== 0 || !wire.tripped()) wrong.push(`${name}: asked again within its session`);
  }
  return { turns: wires.length, ...sum, wrong };
}

async function oneTurn(
  host: Host,
  wire: Tripwire,
  session: SessionId,
  { cwd }: Places,
  reaction: Reaction,
  text: string,
): Promise<number> {
  if (wire.bait !== undefined) await writeFile(wire.bait, "keep me\n");
  let questions = 0;
  using cleanup = new DisposableStack();
  cleanup.defer(
    host.subscribe(session, (event) => {
      if (event.type !== "approval" || event.approval.decision !== undefined) return;
      questions += 1;
      void react(host, session, event.approval, reaction);
    }),
  );
  const attended: Attended = reaction === "nobody" ? "none" : "ask";
  const known = await asOwner(host)
    .call("sessions.get", { session })
    .then(
      ({ id }) => id,
      () => ({ id: session, cwd, surface: "cli", audience: "owner" as const }),
    );
  const sent = await send(host, {
    key: { surface: "cli", account: "", chat: session, messageId: crypto.randomUUID() },
    session: known,
    input: [{ type: "text", text }],
    whenBusy: "queue",
    attended,
    choices: { runtime: "codex" },
  });
  await sent.ended;
  return questions;
}

async function react(
  host: Host,
  session: SessionId,
  { id }: ApprovalState,
  reaction: Reaction,
): Promise<void> {
  if (reaction === "stop") return void (await asOwner(host).call("turns.stop", { session }));
  const choice = reaction === "twice" || reaction === "nobody" ? "once" : reaction;
  await host.as(person).call("approvals.answer", { approval: id, choice });
  if (reaction === "twice")
    await host.as({ ...person, surface: "tui" }).call("approvals.answer", { approval: id, choice: "deny" });
}

const person: Principal = { id: "bench", surface: "cli", role: "owner", local: true };
