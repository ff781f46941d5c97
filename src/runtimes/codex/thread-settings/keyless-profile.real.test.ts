import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, test } from "node:test";
import { pinnedCodex } from "../../../../test/codex-schema/pinned-codex.ts";
import type { TurnEvent } from "../../../core/events.ts";
import type { Json } from "../../../core/json.ts";
import { systemClock } from "../../../lib/clock.ts";
import { portsOf, turnOf } from "../../runtime.suite.ts";
import type { Message } from "../../../core/messages.ts";
import type { Ports, Runtime, Turn } from "../../runtime.ts";
import { codexRuntime } from "../codex.ts";
import type { CodexPlan } from "../plan.ts";
import { startAppServer } from "../process/app-server.ts";
import { appServerPool } from "../process/pool.ts";
import { type RealPlace, realPlace } from "../real-codex.suite.ts";
import { fieldsOf } from "../wire/fields.ts";

const looks = "exec 2>&1; cat ../keys/id; echo done > done.txt; cat done.txt; echo x > ../keys/new; true";
const calls = (cmd: string): object => ({
  call: { tool: "exec_command", args: { cmd, yield_time_ms: 30_000 } },
});
const asked = (cmd: string): readonly object[] => [{ reply: [calls(cmd)] }, { reply: [{ text: "Seen." }] }];

type Fixture = AsyncDisposable & {
  readonly real: RealPlace;
  /** What was sent to codex with this method. */
  sent(method: string): readonly Readonly<Record<string, unknown>>[];
  /** Another process of ours, with the same session. */
  restart(): Promise<void>;
  turn(who: "attended" | "unattended"): Promise<readonly TurnEvent[]>;
};

async function fixture(commands: readonly string[], more: Partial<CodexPlan> = {}): Promise<Fixture> {
  await using opened = new AsyncDisposableStack();
  const real = opened.use(await realPlace(pinnedCodex(), commands.flatMap(asked)));
  const keys = join(real.work, "../keys");
  await mkdir(join(keys, "deep"), { recursive: true });
  await writeFile(join(keys, "id"), "a-key\n");
  await mkdir(join(real.work, "../run"));
  const frames: Json[] = [];
  const ports: Ports = portsOf([], new AbortController().signal);
  const plan = { ...planOf(real, keys), ...more };
  let runtime = runtimeOf(plan, frames);
  const kept = opened.move();
  kept.defer(() => runtime[Symbol.asyncDispose]());
  const history: Message[] = [];
  return {
    real,
    sent: (method) =>
      frames
        .map(fieldsOf)
        .filter((frame) => frame["method"] === method)
        .map(({ params }) => fieldsOf(params)),
    async restart() {
      await runtime[Symbol.asyncDispose]();
      runtime = runtimeOf(plan, frames);
    },
    async turn(who) {
      const turn = { ...turnOf({ history: [...history] }), cwd: real.work };
      const whole: Turn = who === "unattended" ? { ...turn, unattended: true } : turn;
      const events = await Array.fromAsync(runtime.run(whole, ports));
      history.push({ role: "user", content: turn.input }, { role: "assistant", content: "Seen." });
      return events;
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** What every thread is told beside its limits. */
const perThread = ["projects", "thread_unload_delay_secs", "project_doc_max_bytes"];

const planOf = (real: RealPlace, keys: string): CodexPlan => ({
  launch: real.launch(),
  provider: "demo",
  loopRouteExists: false,
  network: false,
  mcpServers: {},
  warnings: [],
  hidden: [keys, join(keys, "deep"), join(real.work, "../run")],
  doors: async () => [join(real.work, "../run")],
});

function runtimeOf(plan: CodexPlan, frames: Json[]): Runtime {
  const processes = { add: async () => {}, remove: async () => {} };
  const record = (dir: string, msg: Json): void => void (dir === "c>s" && frames.push(msg));
  const options = { clock: systemClock, processes, optOut: [], clientVersion: "0.0.0", record };
  const pool = appServerPool({
    clock: systemClock,
    start: (launch, signal) => startAppServer(launch, { ...options, signal }),
  });
  const frameTap = { listen: () => () => {} };
  return codexRuntime({ pool, plan: async () => plan, offer: new Map(), frames: frameTap });
}

const outputs = (events: readonly TurnEvent[]): string =>
  events
    .flatMap((event) => (event.type === "item" && event.item.kind === "call" ? [event.item.output] : []))
    .join("\n");

const notices = (events: readonly TurnEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === "notice" ? [event.code] : []));

const seen = /a-key[\s\S]*done/;
const unseen = /Permission denied[\s\S]*done/;

describe("limits on the real codex", { timeout: 120_000 }, () => {
  test("a turn that nobody attends works in its folder and sees no keys", async () => {
    await using it = await fixture([looks]);
    const events = await it.turn("unattended");
    assert.match(outputs(events), unseen);
    assert.doesNotMatch(outputs(events), /a-key/);
    assert.deepEqual(notices(events), []);
  });

  test("a person's turn is started as ever, and a thread in hand follows whoever attends", async () => {
    await using it = await fixture([looks, looks, looks, looks]);
    assert.match(outputs(await it.turn("attended")), seen);
    const [{ sandbox, approvalPolicy, config } = {}] = it.sent("thread/start");
    assert.deepEqual([sandbox, approvalPolicy], ["workspace-write", "on-request"]);
    assert.deepEqual(Object.keys(fieldsOf(config)), perThread);
    assert.match(outputs(await it.turn("unattended")), unseen);
    assert.match(outputs(await it.turn("unattended")), unseen);
    assert.equal(it.sent("thread/resume").length, 1);
    assert.match(outputs(await it.turn("attended")), seen);
    assert.equal(it.sent("thread/start").length, 1);
    assert.deepEqual(it.sent("thread/resume").at(-1)?.["sandbox"], "workspace-write");
  });

  test("so does one that another process resumes, and a person's own has no limits added", async () => {
    await using it = await fixture([looks, looks, looks]);
    await it.turn("attended");
    await it.restart();
    assert.match(outputs(await it.turn("attended")), seen);
    const { threadId: _, ...resumed } = it.sent("thread/resume")[0] ?? {};
    assert.deepEqual(Object.keys(resumed), ["cwd", "excludeTurns", "approvalsReviewer", "config"]);
    await it.restart();
    assert.match(outputs(await it.turn("unattended")), unseen);
  });

  test("a sandbox that lets nothing be written is there again after a turn that nobody attended", async () => {
    await using it = await fixture([looks, looks], { sandbox: "read-only" });
    assert.doesNotMatch(outputs(await it.turn("unattended")), /a-key|done\n/);
    await it.restart();
    const again = outputs(await it.turn("attended"));
    assert.match(again, /a-key/);
    assert.doesNotMatch(again, /done\n/);
  });

  test("a folder with our own files in it is written by nobody unasked, and by whoever is fenced from them", async () => {
    await using it = await fixture([looks, looks], { holdsGuarded: true });
    const attended = await it.turn("attended");
    assert.doesNotMatch(outputs(attended), /done\n/);
    assert.deepEqual(notices(attended), ["codex_limits"]);
    const fenced = await it.turn("unattended");
    assert.match(outputs(fenced), unseen);
    assert.deepEqual(notices(fenced), []);
  });

  test("a sandbox that was chosen in Talaria is fenced, whatever codex's own settings say", async () => {
    for (const own of ['sandbox_mode = "read-only"', 'default_permissions = ":danger-full-access"']) {
      await using it = await fixture([looks], { sandbox: "workspace-write" });
      await writeFile(join(it.real.home, "config.toml"), `${own}\n`);
      const events = await it.turn("unattended");
      assert.match(outputs(events), unseen);
      assert.deepEqual(notices(events), []);
    }
  });

  test("limits that are the person's own stay theirs while they attend, and keys are hidden when nobody does", async () => {
    await using it = await fixture([looks, looks]);
    await writeFile(join(it.real.home, "config.toml"), 'default_permissions = ":workspace"\n');
    assert.match(outputs(await it.turn("attended")), seen, "and nothing is asked that codex would not ask");
    const [{ sandbox, config } = {}] = it.sent("thread/start");
    assert.deepEqual([sandbox, Object.keys(fieldsOf(config))], [undefined, perThread]);
    assert.match(outputs(await it.turn("unattended")), unseen);
  });

  test("full access that is the person's own leaves the folder and the network where nobody attends", async () => {
    const reaches =
      "exec 2>&1; cat ../keys/id; echo done > done.txt; cat done.txt; echo x > ../outside.txt; true";
    await using it = await fixture([reaches]);
    await writeFile(join(it.real.home, "config.toml"), 'sandbox_mode = "danger-full-access"\n');
    const shown = outputs(await it.turn("unattended"));
    assert.match(shown, /Permission denied\ndone\n.*outside\.txt: Read-only file system/);
    const [profile] = it
      .sent("thread/start")
      .map(({ config }) => fieldsOf(fieldsOf(config)["permissions.talaria-unattended"]));
    assert.deepEqual(profile?.["network"], { enabled: true });
  });

  test("files that instruct agents are not changed by commands that nobody attends", async () => {
    const writes =
      "exec 2>&1; echo x >> AGENTS.md; mkdir -p .agents/skills/x; echo done > done.txt; cat done.txt AGENTS.md; true";
    await using it = await fixture([writes]);
    await writeFile(join(it.real.work, "AGENTS.md"), "Use tabs.\n");
    await symlink("AGENTS.md", join(it.real.work, "CLAUDE.md"));
    const shown = outputs(await it.turn("unattended"));
    assert.match(shown, /AGENTS\.md: Read-only file system[^]*Read-only file system\ndone\nUse tabs\.\n$/);
  });

  test("a command reaches no running host: where it could connect, its folder is hidden; else codex lets it connect to nothing", async () => {
    const js = `require("node:net").connect("../run/s").on("connect", () => { console.log("connected"); process.exit(); }).on("error", (error) => console.log(error.code))`;
    const reaches = `exec 2>&1; ${process.execPath} -e '${js}'; cat ../run/token; cat ../keys/id; echo done > done.txt; cat done.txt; true`;
    const ownProfile =
      'default_permissions = "mine"\n[permissions.mine]\nextends = ":workspace"\nnetwork = {enabled = true}\n';
    const rows = [
      { network: true, who: "attended", own: "" },
      { network: true, who: "unattended", own: "" },
      { network: false, who: "unattended", own: "" },
      { network: false, who: "attended", own: "[sandbox_workspace_write]\nnetwork_access = true\n" },
      { network: false, who: "attended", own: ownProfile },
      { network: false, who: "attended", own: "" },
    ] as const;
    for (const { network, who, own } of rows) {
      await using it = await fixture([reaches], { network });
      const run = join(it.real.work, "../run");
      await writeFile(join(run, "token"), "a-token\n");
      await writeFile(join(it.real.home, "config.toml"), own);
      let connected = 0;
      const server = createServer((socket) => void ((connected += 1), socket.end()));
      await once(server.listen(join(run, "s")), "listening");
      const events = await it.turn(who).finally(() => server.close());
      const about = JSON.stringify({ network, who, own, shown: outputs(events) });
      assert.match(outputs(events), /^(?:EPERM|EACCES|ENOENT)\n[^]*done\n$/, about);
      assert.equal(connected, 0, about);
      const isHidden = network || who === "unattended" || own !== "";
      assert.match(outputs(events), isHidden ? /\ncat: \S+token: Permission denied/ : /\na-token\n/, about);
      assert.match(outputs(events), who === "attended" ? /a-key\n/ : /id: Permission denied/, about);
      assert.deepEqual(notices(events), []);
    }
  });

  test("a command that the sandbox stops at once is told", async () => {
    await using it = await fixture(["touch ../keys/x"]);
    const events = await it.turn("attended");
    assert.match(outputs(events), /touch: cannot touch .*Read-only file system/);
    const ended = events.at(-1);
    assert.equal(ended?.type === "ended" && ended.calls, 1);
  });
});
