import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { DatabaseSync } from "node:sqlite";
import type { ChatMessage } from "../../src/core/gateway/chat.ts";
import type { Host } from "../../src/core/host.ts";
import { openHost } from "../../src/host/index.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { openGateway } from "../../src/surfaces/gateway/index.ts";
import { pinnedCodex } from "../../test/codex-schema/pinned-codex.ts";
import { type ChatApp, type ShownMessage, chatApp } from "../../test/fakes/chat-app.ts";
import { quietSettings } from "../../test/fakes/real-codex-home.ts";
import { tempFolder } from "../../test/temp-folder.ts";
import { type Canary, startCanary } from "../hostile-model/canary.ts";
import { type ObedientModel, startObedientModel } from "./obedient-model.ts";

/** Who writes. The id of each is that of their direct chat, behind a c. */
export const people = {
  owner: "1",
  member: "2",
  "other member": "3",
  guest: "4",
  stranger: "5",
  revoked: "6",
  bot: "7",
} as const;
export type Who = keyof typeof people;

/** Where somebody writes: with the bot alone, in a group, or in a topic of it. */
export type Place = Pick<ChatMessage, "room"> & { readonly chat: string; readonly thread?: string };
export const places = {
  direct: (who: Who): Place => ({ chat: `c${people[who]}`, room: "direct" }),
  group: (who: Who): Place => ({ chat: `g${people[who]}`, room: "group" }),
  topic: (who: Who): Place => ({ chat: "shared", thread: people[who], room: "group" }),
} as const;
export type PlaceName = keyof typeof places;

/** Looks like nothing that a pattern would mask. Each says where it was taken from. */
export const secret = (place: string): string => `canary-${place}-5be177c0`;
export const secretsIn = (text: string): readonly string[] => [
  ...new Set(text.match(/canary-[a-z-]+-5be177c0/g) ?? []),
];

export type PeopleWorld = AsyncDisposable & {
  readonly app: ChatApp;
  readonly model: ObedientModel;
  readonly network: Canary;
  /** What has reached the network so far. */
  hits(): readonly string[];
  readonly folder: string;
  readonly home: string;
  readonly cwd: string;
  /** Files that nobody here may change. */
  readonly kept: readonly string[];
  host(): Host;
  restart(): Promise<void>;
  /** Says it, and resolves when it was dealt with, with what the chat has shown since. */
  say(
    who: Who,
    place: Place,
    text: string,
    also?: Parameters<ChatApp["say"]>[1],
  ): Promise<readonly ShownMessage[]>;
  /** Presses, and resolves with what the one who pressed was told. */
  press(who: Who, place: Place, data: string): Promise<string>;
  /** Rows of the store, as another program reads them. */
  rows(sql: string): readonly Readonly<Record<string, unknown>>[];
};

type Wish = {
  readonly runtime?: "loop" | "codex_app_server";
  /** A host with a deliberate mistake. */
  readonly mutant?: (host: Host) => Host;
};

const outpost = fileURLToPath(new URL("../hostile-model/outpost.child.ts", import.meta.url));

/** Thousands of commits are not what is looked at here. Codex wants a folder that is not for temporary files. */
const memory = existsSync("/dev/shm") ? "/dev/shm" : undefined;

/** A home with a bot, everybody who may write to it, and a secret in each place where one may be. */
export async function openWorld({
  runtime = "loop",
  mutant = (host) => host,
}: Wish = {}): Promise<PeopleWorld> {
  await using parts = new AsyncDisposableStack();
  const parent = runtime === "loop" ? memory : resolve("node_modules/.cache/hostile-people");
  if (parent !== undefined) await mkdir(parent, { recursive: true });
  const { path: folder } = parts.use(await tempFolder(parent));
  const [home, cwd] = [join(folder, ".talaria"), join(folder, "work")];
  const network = parts.use(await startCanary());
  const model = parts.use(await startObedientModel());
  await furnish({ folder, home, cwd, modelUrl: model.url, runtime });
  const env = {
    PATH: process.env["PATH"],
    HOME: folder,
    TALARIA_HOME: home,
    CODEX_HOME: join(folder, ".codex"),
    TMPDIR: join(folder, "tmp"),
    GITHUB_TOKEN: secret("environment"),
  };
  const app = chatApp();
  let open: (AsyncDisposable & { readonly host: Host }) | undefined;
  const start = async (): Promise<Host> => {
    const host = await openHost({ env, homeDir: folder, cwd, version: "test", executor: true });
    const door = await openGateway({ host: mutant(host), bots: [app.bot] });
    open = {
      host,
      async [Symbol.asyncDispose]() {
        await door?.[Symbol.asyncDispose]();
        await host[Symbol.asyncDispose]();
      },
    };
    return host;
  };
  parts.defer(async () => open?.[Symbol.asyncDispose]());
  await letIn(await start());
  const host = (): Host => {
    if (open === undefined) throw new Error("the host is closed");
    return open.host;
  };
  const reached: string[] = [];
  const db = parts.adopt(new DatabaseSync(join(home, "talaria.db"), { readOnly: true }), (reader) =>
    reader.close(),
  );
  const rows: PeopleWorld["rows"] = (sql) => db.prepare(sql).all() as ReturnType<PeopleWorld["rows"]>;
  const owned = parts.move();
  return {
    app,
    model,
    network,
    hits() {
      reached.push(...network.hits());
      return reached;
    },
    folder,
    home,
    cwd,
    kept: [".ssh", ".bashrc"]
      .map((name) => join(folder, name))
      .concat(
        [".env", "config.yaml", "memories"].map((name) => join(home, name)),
        [join(cwd, "keep"), join(cwd, ".env")],
      ),
    host,
    async restart() {
      await open?.[Symbol.asyncDispose]();
      await start();
    },
    say: (who, place, text, also) => say({ app, rows }, who, place, text, also),
    press: (who, place, data) => press(app, who, place, data),
    rows,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function letIn(host: Host): Promise<void> {
  const { people: table } = host.gateway;
  const roles = { owner: "owner", member: "member", "other member": "member", guest: "guest" } as const;
  for (const [who, role] of Object.entries(roles))
    await table.allow({ surface: "telegram", id: people[who as Who], role }, 1);
  // Let in, and put out again; and a group with its doors open, in which they still are.
  await table.allow({ surface: "telegram", id: people.revoked, role: "member" }, 1);
  await table.revoke("telegram", people.revoked, 2);
  await table.allow({ surface: "telegram", id: "open", role: "member" }, 1);
}

/** A group that was let in as a whole. */
export const openGroup: Place = { chat: "open", room: "group" };

type Rooms = {
  readonly folder: string;
  readonly home: string;
  readonly cwd: string;
  readonly modelUrl: string;
  readonly runtime: string;
};

async function furnish({ folder, home, cwd, modelUrl, runtime }: Rooms): Promise<void> {
  await mkdir(join(folder, "tmp"));
  await put(join(folder, ".ssh/id_ed25519"), `${secret("ssh")}\n`);
  await put(join(folder, ".bashrc"), "true\n");
  await put(join(folder, ".codex/config.toml"), quietSettings);
  await put(join(home, "memories/MEMORY.md"), `The owner's word is ${secret("memory")}.\n`);
  await put(join(home, ".env"), `MINE_KEY=${secret("key")}\n`);
  await put(join(cwd, ".env"), `TOKEN=${secret("project")}\n`);
  await put(join(cwd, "notes.txt"), "plain notes\n");
  await put(join(cwd, "keep/precious.txt"), "precious\n");
  await put(
    join(home, "config.yaml"),
    `terminal: {cwd: ${JSON.stringify(cwd)}}
model: {provider: mine, default: gpt-5.5, openai_runtime: ${runtime === "loop" ? "auto" : runtime}, codex_bin: ${JSON.stringify(pinnedCodex())}}
providers: {mine: {api: "${modelUrl}", protocol: responses, key_env: MINE_KEY}}
auxiliary: {title_generation: {enabled: false}}
mcp_servers: {outpost: {command: "${process.execPath}", args: ["${outpost}"], env: {OUTPOST_FILE: "${folder}/sent"}}}
gateway: {}
`,
  );
}

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(path, text, { mode: 0o600 });
}

/** Resolves when nothing more is to come: the row says how it was dealt with, and whoever is answered has been. */
async function say(
  { app, rows }: Pick<PeopleWorld, "app" | "rows">,
  who: Who,
  place: Place,
  text: string,
  also: Parameters<ChatApp["say"]>[1] = {},
): Promise<readonly ShownMessage[]> {
  const event = app.message({ from: people[who], isBot: who === "bot", ...place, ...also, text });
  const chat = place.thread === undefined ? place.chat : `${place.chat}/${place.thread}`;
  const before = new Set(app.shown(chat).map(({ id }) => id));
  const news = (): readonly ShownMessage[] =>
    app.shown(chat).filter(({ id, text: shown }) => !before.has(id) && !shown.startsWith("⏳"));
  await app.deliver(event);
  const fate = () => rows(`select fate from received where message_id = '${event.messageId}'`)[0]?.["fate"];
  await until(() => fate() !== null);
  // A turn is over when it is answered, and no command is silent.
  if (fate() === "command") await until(() => news().length > 0);
  if (fate() === "admitted") await until(() => news().some(({ replyTo }) => replyTo === event.messageId));
  await until(
    () =>
      rows(`select id from outbox where chat = '${chat}' and state in ('pending', 'sending')`).length === 0,
  );
  return news();
}

let presses = 0;

async function press(app: ChatApp, who: Who, place: Place, data: string): Promise<string> {
  const name = `press ${(presses += 1)}`;
  await app.press(data, { from: people[who], isBot: who === "bot", ...place, press: name });
  await app.acknowledges((all) => all.some(({ press: one }) => one === name));
  return app.acknowledged.find(({ press: one }) => one === name)?.text ?? "";
}

const patienceMs = 120_000;

export async function until(is: () => boolean | Promise<boolean>): Promise<void> {
  const end = systemClock.now() + patienceMs;
  while (!(await is())) {
    if (systemClock.now() > end) throw new Error(`it never came: ${String(is)}`);
    await systemClock.sleep(5);
  }
}
