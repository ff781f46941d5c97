import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Choice } from "../../src/core/asking.ts";
import type { Principal } from "../../src/core/principal.ts";
import type { Attended, Host } from "../../src/core/host.ts";
import { type SessionId, newId } from "../../src/core/ids.ts";
import { type OpenHost, openHost } from "../../src/host/index.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { parseDemoScript } from "../../test/fakes/demo-script.ts";
import { startDemoModel } from "../../test/fakes/demo-model.ts";
import { codexHome, quietSettings } from "../../test/fakes/real-codex-home.ts";
import type { Rewrite } from "./rewrites.ts";
import { asOwner, send } from "../../test/owners-host.ts";

/** Who runs the turns: our loop, or codex with a model of either kind. */
export type Way = "loop" | "codex" | "codex, code mode";

export type RewriteWorld = AsyncDisposable & {
  readonly host: Host;
  readonly cwd: string;
  readonly trips: string;
  /** One turn; the person gives the most lasting yes there is, or says no. How often they were asked. */
  turn(session: SessionId, text: string, answer: "yes" | "no", attended?: Attended): Promise<number>;
  /** Which marks are there; they are removed. */
  marks(): Promise<readonly string[]>;
};

/** Not in a folder for temporary files: a sandbox lets commands write there. */
export async function rewriteWorld(
  way: Way,
  steps: (trips: string) => readonly object[],
  seams: NonNullable<OpenHost["seams"]> = {},
): Promise<RewriteWorld> {
  await using parts = new AsyncDisposableStack();
  const folder = parts.use(await codexHome()).path;
  const at = (name: string): string => join(folder, name);
  for (const name of ["work", "tmp", "person", "person/trips", "codex"]) await mkdir(at(name));
  await mkdir(at("person/.talaria"), { mode: 0o700 });
  await writeFile(at("codex/config.toml"), quietSettings);
  const script = parseDemoScript({
    maxRequests: 10_000,
    steps: steps(at("person/trips")),
    otherwise: [{ text: "Well then." }],
  });
  const model = parts.use(await startDemoModel({ clock: systemClock, script }));
  const wire = { command: process.execPath, args: [resolve("test/fakes/mcp-wire.mjs")] };
  const settings = `model: { provider: mine, default: ${way === "codex, code mode" ? "gpt-6.1-sol" : "gpt-5.5"} }
providers: { mine: { api: "${model.url}", protocol: responses } }
auxiliary: { title_generation: { enabled: false } }
mcp_servers: ${JSON.stringify({ wire })}
`;
  await writeFile(at("person/.talaria/config.yaml"), settings, { mode: 0o600 });
  const env = {
    PATH: process.env["PATH"],
    HOME: at("person"),
    TALARIA_HOME: at("person/.talaria"),
    CODEX_HOME: at("codex"),
    TMPDIR: at("tmp"),
  };
  const [cwd, trips] = [at("work"), at("person/trips")];
  const host = parts.use(await openHost({ env, homeDir: at("person"), cwd, version: "0.0.0", seams }));
  const kept = parts.move();
  return {
    host,
    cwd,
    trips,
    turn: (session, text, answer, attended = "ask") =>
      oneTurn({ host, cwd, way }, session, text, answer, attended),
    async marks() {
      const found = await readdir(trips);
      for (const name of found) await rm(join(trips, name));
      return found.toSorted();
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

type Turns = { readonly host: Host; readonly cwd: string; readonly way: Way };

async function oneTurn(
  { host, cwd, way }: Turns,
  session: SessionId,
  text: string,
  answer: "yes" | "no",
  attended: Attended,
): Promise<number> {
  let questions = 0;
  using cleanup = new DisposableStack();
  cleanup.defer(
    host.subscribe(session, (event) => {
      if (event.type !== "approval" || event.approval.decision !== undefined) return;
      questions += 1;
      const { id, choices } = event.approval;
      const yes: Choice =
        (["always", "session"] as const).find((choice) => choices.includes(choice)) ?? "once";
      void host
        .as(person)
        .call("approvals.answer", { approval: id, choice: answer === "yes" ? yes : "deny" });
    }),
  );
  const known = await asOwner(host)
    .call("sessions.get", { session: session })
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
    choices: { runtime: way === "loop" ? "loop" : "codex" },
  });
  await sent.ended;
  return questions;
}

const person: Principal = { id: "bench", surface: "cli", role: "owner", local: true };

export const newSession = (): SessionId => newId("ses", systemClock.now());

/** What the model does, as it is called on each way. Another reason each time: it is not part of what is done. */
export function replyOf(does: Rewrite["does"], way: Way, reason: string): readonly object[] {
  if ("act" in does) {
    const args = { path: does.act };
    if (way === "loop")
      return [called("tool_search", { query: "wire act path" }), called("mcp__wire__act", args)];
    if (way === "codex")
      return [
        { search: { query: "act wire path" } },
        { call: { tool: "act", namespace: "mcp__wire", args } },
      ];
    return [coded(`text(await tools.mcp__wire__act(${JSON.stringify(args)}));`)];
  }
  const { command } = does;
  if (way === "loop") return [called("terminal", { command, escalate: true, reason })];
  const args = {
    cmd: command,
    yield_time_ms: 30_000,
    sandbox_permissions: "require_escalated",
    justification: reason,
  };
  if (way === "codex") return [called("exec_command", args)];
  return [coded(`text(await tools.exec_command(${JSON.stringify(args)}));`)];
}

const called = (tool: string, args: object): object => ({ call: { tool, args } });
const coded = (input: string): object => ({ custom: { tool: "exec", input } });
