import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Host, Sent } from "../../src/core/host.ts";
import { type SessionId, newId } from "../../src/core/ids.ts";
import { openHost } from "../../src/host/index.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { pinnedCodex } from "../../test/codex-schema/pinned-codex.ts";
import { quietSettings } from "../../test/fakes/real-codex-home.ts";
import { codexAround, ownWills, willfulCodex } from "../../test/fakes/willful-codex.ts";
import { send } from "../../test/owners-host.ts";
import { ownSources } from "../own-child.ts";

/** goals, agents: codex is told to have them, whatever we say · drop-late: what it says of an earlier turn is lost */
export type Mutant = "goals" | "agents" | "drop-late";

/** The whole program but its surface, on the real codex. */
export type World = AsyncDisposable & {
  readonly home: string;
  readonly cwd: string;
  readonly database: string;
  readonly host: () => Host;
  /** Ends the program and starts it again. */
  restart(): Promise<void>;
  /** Says it in the session, on this runtime. Resolves when it has begun. */
  say(session: SessionId, text: string, runtime: string): Promise<Sent>;
  newSession(): SessionId;
  /** How many messages were sent. */
  readonly sent: () => number;
};

export async function makeWorld(url: string, model: string, mutant: Mutant | undefined): Promise<World> {
  await using parts = new AsyncDisposableStack();
  const parent = resolve("node_modules/.cache/ghosts");
  await mkdir(parent, { recursive: true });
  const base = await realpath(await mkdtemp(join(parent, "world-")));
  parts.defer(() => rm(base, { recursive: true, force: true, maxRetries: 10 }));
  const [home, cwd, tmp] = [join(base, "home"), join(base, "work"), join(base, "tmp")];
  const [own, codexHome] = [join(home, ".talaria"), join(home, ".codex")];
  for (const folder of [own, codexHome, cwd, tmp]) await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(join(codexHome, "config.toml"), quietSettings);
  const binary = await program(base, mutant);
  await writeFile(join(own, "config.yaml"), settings(url, model, binary), { mode: 0o600 });
  await writeFile(join(own, ".env"), "MINE_KEY=nothing-secret\n", { mode: 0o600 });
  const env = {
    PATH: process.env["PATH"] ?? "/usr/bin:/bin",
    HOME: home,
    TALARIA_HOME: own,
    CODEX_HOME: codexHome,
    TMPDIR: tmp,
  };
  const start = (): Promise<Host> => openHost({ env, homeDir: home, cwd, version: "0.0.0" });
  let host = await start();
  parts.defer(() => host[Symbol.asyncDispose]());
  const known = new Set<SessionId>();
  let sent = 0;
  const kept = parts.move();
  return {
    home,
    cwd,
    database: join(own, "talaria.db"),
    host: () => host,
    sent: () => sent,
    newSession: () => newId("ses", systemClock.now()),
    async restart() {
      await host[Symbol.asyncDispose]();
      host = await start();
    },
    async say(session, text, runtime) {
      const isNew = !known.has(session);
      known.add(session);
      sent += 1;
      return send(host, {
        key: { surface: "cli", account: "", chat: session, messageId: String(sent) },
        session: isNew ? { id: session, cwd, surface: "cli", audience: "owner" as const } : session,
        input: [{ type: "text", text }],
        whenBusy: "queue",
        attended: "none",
        choices: { runtime },
      });
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

const settings = (
  url: string,
  model: string,
  binary: string,
): string => `model: { provider: mine, default: ${model}, codex_bin: "${binary}" }
providers: { mine: { api: "${url}", protocol: responses, key_env: MINE_KEY } }
auxiliary: { title_generation: { enabled: false } }
learning: { review: { enabled: false } }
`;

const deafChild = fileURLToPath(new URL("drop-late.child.ts", import.meta.url));

/** The codex that is run: the pinned one, or a mutant around it. */
async function program(base: string, mutant: Mutant | undefined): Promise<string> {
  const codex = pinnedCodex();
  if (mutant === undefined) return codex;
  if (mutant !== "drop-late") return willfulCodex(base, codex, ownWills[mutant]);
  return codexAround(
    base,
    codex,
    `exec "${process.execPath}" ${ownSources.join(" ")} "${deafChild}" "${codex}" "$@"`,
  );
}
