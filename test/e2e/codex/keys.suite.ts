import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import type { TurnEvent } from "../../../src/core/events.ts";
import { codexPaths } from "../../../src/host/tools/secret-paths.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { codexRuntime } from "../../../src/runtimes/codex/codex.ts";
import { askEphemeral } from "../../../src/runtimes/codex/ephemeral.ts";
import type { CodexPlan } from "../../../src/runtimes/codex/plan.ts";
import { startAppServer } from "../../../src/runtimes/codex/process/app-server.ts";
import { appServerPool } from "../../../src/runtimes/codex/process/pool.ts";
import {
  type RealBinary,
  type RealPlace,
  patience,
  realPlace,
} from "../../../src/runtimes/codex/real-codex.suite.ts";
import { rewrite } from "../../../src/runtimes/codex/settings-file/rewrite.ts";
import { portsOf, turnOf } from "../../../src/runtimes/runtime.suite.ts";
import type { Ports, Runtime, Turn } from "../../../src/runtimes/runtime.ts";

/** Can this codex hide anything from commands? */
export type Hiding = "hides" | "cannot hide";

const profiles = `default_permissions = "mine"
[permissions.mine.filesystem]
":root" = "read"
":workspace_roots" = { "." = "write" }
[permissions.mine.network]
enabled = true
`;

/** What a person may have in codex's settings. */
const own: readonly (readonly [what: string, settings: string, since?: "hides"])[] = [
  ["no limits of their own", ""],
  ["their own workspace-write", 'sandbox_mode = "workspace-write"\n'],
  ["their own full access", 'sandbox_mode = "danger-full-access"\n'],
  ["their own built-in profile", 'default_permissions = ":workspace"\n', "hides"],
  ["full access as their own profile", 'default_permissions = ":danger-full-access"\n', "hides"],
  ["a profile that they wrote", profiles, "hides"],
];

/** Files with keys, in the person's home; codex's own is `home`. */
const keys = [
  [".talaria/.env", ".talaria/config.yaml", "home/auth.json"],
  [".ssh/id_ed25519", ".aws/credentials", ".netrc", ".npmrc", ".config/gh/hosts.yml"],
].flat();

const visible = "anybody may read this";
const canary = "sk-canary-of-a-key";
const looks = `exec 2>&1; cat "$HOME/visible.txt"; ${keys.map((key) => `cat "$HOME/${key}"`).join("; ")}; true`;

/** Models of both kinds: one calls tools, one writes code that does. */
const models = {
  "gpt-5.5": (cmd: string) => ({ call: { tool: "exec_command", args: { cmd, yield_time_ms: 30_000 } } }),
  "gpt-6.1-sol": (cmd: string) => ({
    custom: {
      tool: "exec",
      input: `text(JSON.stringify(await tools.exec_command({ cmd: ${JSON.stringify(cmd)} })));`,
    },
  }),
} as const;

type Model = keyof typeof models;

/** The kinds that the newest codex knows. One that does not know a model has no tools for it. */
export const bothModels: readonly Model[] = ["gpt-5.5", "gpt-6.1-sol"];

/**
 * Commands of turns that nobody attends, and of those beside a conversation, see no keys: whatever the person's codex
 * settings say, before and after `talaria codex-runtime migrate`.
 */
export function keysSuite(name: string, binary: RealBinary, hiding: Hiding, known: readonly Model[]): void {
  const cases = own.filter(([, , since]) => since === undefined || hiding === since);
  describe(`keys on ${name}`, { timeout: 300_000, concurrency: 2 }, () => {
    for (const [what, settings] of cases)
      for (const migrated of [false, true])
        for (const model of migrated ? known.slice(0, 1) : known.slice(-1))
          test(`${what}, ${migrated ? "after" : "before"} the migration, ${model}`, () =>
            tryCase(binary, migrated ? migratedFrom(settings) : settings, model, hiding));
    test(`no limits of their own, after the migration, ${known.at(-1)}`, () =>
      tryCase(binary, migratedFrom(""), known.at(-1) ?? "gpt-5.5", hiding));
  });
}

/** As `talaria codex-runtime migrate` leaves the file. */
const migratedFrom = (settings: string): string =>
  rewrite("config.toml", settings, { servers: new Map(), plugins: new Map() }).text;

async function tryCase(
  { path, version }: RealBinary,
  settings: string,
  model: Model,
  hiding: Hiding,
): Promise<void> {
  const twice = (when: string, said: string): readonly object[] => [
    { when, reply: [models[model](looks)] },
    { when, reply: [{ text: said }] },
  ];
  await using place = await realPlace(path, [
    ...twice("^work", "Worked."),
    { when: "^hello", reply: [{ text: "Hello." }] },
    ...twice("^look back", "NOTHING"),
    ...twice("^a title", "Title"),
  ]);
  await plant(place, settings);
  const it = parts(place, version, model);
  await using runtime = it.runtime;
  /** What commands have told the model since the last time. */
  let seen = 0;
  const told = (): string => {
    const since = place.model.requests.slice(seen);
    seen = place.model.requests.length;
    return JSON.stringify(since.map(({ body }) => body["input"]));
  };

  const worked = await ended(runtime.run({ ...it.turn("work"), unattended: true }, it.ports()));
  const work = told();
  assert.ok(work.includes(visible), `the command ran: ${work.slice(-2000)}`);
  assert.equal(work.includes(canary), hiding === "cannot hide", "a turn that nobody attends");
  const limits = worked.flatMap((event) =>
    event.type === "notice" && event.code === "codex_limits" ? [event.text] : [],
  );
  if (hiding === "hides") assert.deepEqual(limits, []);
  if (hiding === "cannot hide") assert.match(limits.join(), /^This codex cannot hide anything/);

  const ports = it.ports();
  await ended(runtime.run(it.turn("hello"), ports));
  told();
  const history = [
    { role: "user", content: "hello" },
    { role: "assistant", content: "Hello." },
  ] as const;
  await ended(runtime.sideTurn?.({ ...it.turn("look back"), past: async () => ({ history }) }, ports) ?? []);
  const review = told();
  assert.equal(
    review.includes(visible),
    hiding === "hides",
    "where keys cannot be hidden, a review has no commands",
  );
  assert.ok(!review.includes(canary), "a review");

  const question = { instructions: "Give it a title.", input: "a title", model };
  const answer = await askEphemeral({ pool: it.pool, clock: systemClock }, it.plan, question, patience);
  assert.ok("text" in answer && answer.text === "Title", JSON.stringify(answer));
  const title = told();
  assert.ok(!title.includes(visible) && !title.includes(canary), "a title");
}

async function plant(place: RealPlace, settings: string): Promise<void> {
  const home = dirname(place.work);
  await writeFile(join(place.home, "config.toml"), settings);
  await writeFile(join(home, "visible.txt"), `${visible}\n`);
  for (const key of keys) {
    await mkdir(dirname(join(home, key)), { recursive: true });
    // Codex reads its own login.
    const text = key.endsWith(".json") ? JSON.stringify({ OPENAI_API_KEY: canary }) : `${canary}\n`;
    await writeFile(join(home, key), text);
  }
}

type Parts = {
  readonly runtime: Runtime;
  readonly pool: ReturnType<typeof appServerPool>;
  readonly plan: CodexPlan;
  turn(input: string): Turn;
  /** Of a session of its own. */
  ports(): Ports;
};

function parts(place: RealPlace, version: string, model: Model): Parts {
  const home = dirname(place.work);
  const guarded = [join(home, ".talaria"), join(place.home, "auth.json"), join(place.home, "config.toml")];
  const { hidden, hiddenInSideTurns } = codexPaths({ guarded, home }, false);
  const plan: CodexPlan = {
    launch: place.launch({ version }),
    provider: "demo",
    model,
    loopRouteExists: false,
    network: false,
    mcpServers: {},
    warnings: [],
    hidden,
    hiddenInSideTurns,
  };
  const processes = { add: async () => {}, remove: async () => {} };
  const options = { clock: systemClock, processes, optOut: [], clientVersion: "0.0.0" };
  const pool = appServerPool({
    clock: systemClock,
    start: (launch, signal) => startAppServer(launch, { ...options, signal }),
  });
  const frames = { listen: () => () => {} };
  return {
    runtime: codexRuntime({ pool, plan: async () => plan, offer: new Map(), frames }),
    pool,
    plan,
    turn: (input) => ({ ...turnOf({ input }), cwd: place.work }),
    ports: () => portsOf([], patience),
  };
}

async function ended(events: AsyncIterable<TurnEvent> | Iterable<TurnEvent>): Promise<readonly TurnEvent[]> {
  const all = await Array.fromAsync(events);
  assert.partialDeepStrictEqual(all.at(-1), { type: "ended", outcome: "done" });
  return all;
}
