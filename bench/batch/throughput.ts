import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import type { OpenClient } from "../../src/core/host.ts";
import { newId } from "../../src/core/ids.ts";
import { openHost } from "../../src/host/index.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { batch } from "../../src/surfaces/cli/batch/batch.ts";
import type { CliPorts } from "../../src/surfaces/cli/ports.ts";
import { configure } from "../../test/e2e/endpoint.ts";
import { asOwner } from "../../test/owners-host.ts";
import { tempFolder } from "../../test/temp-folder.ts";
import { startAnsweringModel } from "../answering-model.ts";

const concurrency = 8;

/** Prompts in a second: as a batch, and by a loop that sends them and waits. Both in this process, each in a home of its own. */
export async function throughput(prompts: number, how: "batch" | "loop", executor: boolean): Promise<number> {
  await using model = await startAnsweringModel(() => ({
    content: [{ kind: "text", text: "Here you are.", chunks: 3 }],
  }));
  await using folder = await tempFolder();
  const home = join(folder.path, "home");
  await configure(home, model.url);
  const settings = join(home, "config.yaml");
  const limits = "work: { max_concurrent: 8, budget: { day: { turns: 100000, tokens: 10000000000 } } }\n";
  await writeFile(settings, `${await readFile(settings, "utf8")}${limits}`);
  await using host = await openHost({
    env: { PATH: process.env["PATH"], HOME: folder.path, TALARIA_HOME: home, MINE_KEY: "none" },
    homeDir: folder.path,
    cwd: folder.path,
    version: "bench",
    executor,
  });
  const client: OpenClient = { ...asOwner(host), async [Symbol.asyncDispose]() {} };
  const texts = Array.from({ length: prompts }, (_, at) => `This is prompt ${at + 1}.`);
  await send(client, folder.path, "warm up");
  const begun = systemClock.monotonic();
  if (how === "loop") await loop(client, folder.path, texts);
  else await asBatch(client, folder.path, texts);
  return (prompts * 1000) / (systemClock.monotonic() - begun);
}

async function loop(client: OpenClient, cwd: string, texts: readonly string[]): Promise<void> {
  const waiting = texts.values();
  const worker = async (): Promise<void> => {
    for (const text of waiting) await send(client, cwd, text);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

async function send(client: OpenClient, cwd: string, text: string): Promise<void> {
  const id = newId("ses", systemClock.now());
  const { inbox } = await client.call("turns.send", {
    key: { surface: "cli", account: "", chat: id, messageId: text },
    session: { id, cwd, surface: "cli", audience: "owner" },
    input: [{ type: "text", text }],
    whenBusy: "queue",
    attended: "none",
  });
  const ended = await client.call("turns.wait", { inbox });
  if (ended?.outcome !== "done") throw new Error(`a turn of the loop ended as ${ended?.outcome}`);
}

async function asBatch(client: OpenClient, cwd: string, texts: readonly string[]): Promise<void> {
  await writeFile(join(cwd, "many.jsonl"), texts.map((text) => `${JSON.stringify(text)}\n`).join(""));
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const ports = {
    env: {},
    cwd,
    stdin: new PassThrough(),
    stdout: nowhere,
    stderr: nowhere,
    openHost: async () => client,
    onInterrupt: () => () => {},
  } as unknown as CliPorts;
  const code = await batch(ports, ["many.jsonl"], { concurrency: String(concurrency) });
  if (code !== 0) throw new Error(`the batch ended with ${code}`);
}
