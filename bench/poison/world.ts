import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { tempFolder } from "../../test/temp-folder.ts";
import { onLoopback } from "../../test/loopback.ts";
import type { Host } from "../../src/core/host.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { openHost } from "../../src/host/index.ts";
import type { Store } from "../../src/store/store.ts";
import { quietSettings } from "../../test/fakes/real-codex-home.ts";
import { type ObedientModel, startObedientModel } from "./obedient-model.ts";
import { asSkill } from "./poison.ts";
import { inChats } from "./ways.ts";

/** A home in which things are remembered already, and places where others leave texts. */
export type World = AsyncDisposable & {
  readonly host: Host;
  readonly model: ObedientModel;
  readonly home: string;
  readonly cwd: string;
  /** Memory and skills. */
  readonly kept: readonly string[];
  /** Where others leave a text: a file, and the same as a page. */
  leave(word: string, text: string): Promise<{ readonly file: string; readonly url: string }>;
};

export type Runtime = "loop" | "codex";

const notesServer = fileURLToPath(new URL("notes-server.child.ts", import.meta.url));

/** Not in a folder for temporary files, where codex refuses to work. */
export async function makeWorld(runtime: Runtime, wrapStore?: (store: Store) => Store): Promise<World> {
  await using parts = new AsyncDisposableStack();
  const parent = resolve("node_modules/.cache/poison");
  await mkdir(parent, { recursive: true });
  const { path: base } = parts.use(await tempFolder(parent));
  const at = (...names: readonly string[]): string => join(base, ...names);
  const [home, cwd] = [at("home"), at("work")];
  for (const folder of [cwd, at("tmp")]) await mkdir(folder, { recursive: true });
  const model = parts.use(await startObedientModel());
  const site = parts.use(await startSite(cwd));
  await put(join(home, "memories/USER.md"), "The person is called Ada.\n§\nNever deploys on Fridays.\n");
  await put(join(home, "memories/MEMORY.md"), "Postgres runs on port 5432.\n§\nThe licence is MIT.\n");
  await put(
    join(home, "skills/release/SKILL.md"),
    asSkill("release", "How we release.", "Build it.\nTag it."),
  );
  await put(join(home, "config.yaml"), settings(runtime, model.url, site.port, cwd));
  await put(at("codex/config.toml"), runtime === "codex" ? codexSettings(model.url) : quietSettings);
  const env = {
    PATH: process.env["PATH"] ?? "/usr/bin:/bin",
    HOME: base,
    TALARIA_HOME: home,
    CODEX_HOME: at("codex"),
    TMPDIR: at("tmp"),
  };
  const seams = wrapStore === undefined ? {} : { seams: { wrapStore } };
  const host = parts.use(await openHost({ env, homeDir: base, cwd, version: "bench", ...seams }));
  for (const person of inChats) await host.gateway.people.allow(person, systemClock.now());
  const all = parts.move();
  return {
    host,
    model,
    home,
    cwd,
    kept: [join(home, "memories"), join(home, "skills")],
    async leave(word, text) {
      await writeFile(join(cwd, `${word}.md`), text);
      return { file: `${word}.md`, url: `http://127.0.0.1:${site.port}/${word}` };
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(path, text, { mode: 0o600 });
}

async function startSite(folder: string): Promise<AsyncDisposable & { readonly port: number }> {
  const server = createServer((request, response) => {
    const file = join(folder, `${basename(request.url ?? "")}.md`);
    readFile(file).then(
      (text) => response.setHeader("content-type", "text/plain; charset=utf-8").end(text),
      () => response.writeHead(404).end(),
    );
  });
  return await onLoopback(server);
}

/** On codex nothing but its login is known, so that reviews run on a fork of its thread. */
const settings = (runtime: Runtime, modelUrl: string, port: number, notes: string): string =>
  [
    runtime === "codex"
      ? "model: { provider: openai-codex, openai_runtime: codex_app_server }"
      : `model: { provider: mine, default: gpt-5.5 }\nproviders: { mine: { api: "${modelUrl}", protocol: responses } }`,
    `web: { allow_private: ["127.0.0.1:${port}"] }`,
    `mcp_servers: ${JSON.stringify({ notes: { command: process.execPath, args: [notesServer, notes] } })}`,
    "auxiliary: { title_generation: { enabled: false } }",
    "learning: { mode: auto, day_tokens: 1000000000 }",
    // More reviews than a day's work has turns.
    "work: { budget: { day: { turns: 100000, tokens: 1000000000 } } }",
    "",
  ].join("\n");

const codexSettings = (modelUrl: string): string => `model = "gpt-5.5"
model_provider = "own"
${quietSettings}
[model_providers.own]
name = "own"
base_url = "${modelUrl}"
wire_api = "responses"
supports_websockets = false
request_max_retries = 0
stream_max_retries = 0
`;
