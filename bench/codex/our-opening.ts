import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { newId } from "../../src/core/ids.ts";
import { openHost } from "../../src/host/index.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { parseRecording } from "../../src/runtimes/codex/recording/recording.ts";
import { type Place, environment } from "./place.ts";
import { send } from "../../test/owners-host.ts";

/** What a driver tells codex before the first turn. */
export type Opening = { readonly capabilities: object; readonly thread: object };

/** As Talaria says it, taken from a recording of a turn of its own, so that it cannot fall behind. */
export async function ourOpening(place: Place): Promise<Opening> {
  const env = environment(place);
  const { cwd } = place;
  await using host = await openHost({ env, homeDir: place.folder, cwd, version: "bench" });
  const id = newId("ses", systemClock.now());
  const sent = await send(host, {
    key: { surface: "cli", account: "", chat: id, messageId: "1" },
    session: { id, cwd, surface: "cli", audience: "owner" as const },
    input: [{ type: "text", text: "go on" }],
    choices: { record: true },
    whenBusy: "refuse",
    attended: "none",
  });
  const ended = await sent.ended;
  if (ended?.outcome !== "done") throw new Error(`The turn to be recorded ended as ${ended?.outcome}.`);
  const said = await framesIn(join(place.home, "recordings"));
  const paramsOf = (method: string): object => {
    const frame = said.find((message) => message.method === method);
    if (frame?.params === undefined) throw new Error(`Talaria did not send ${method}.`);
    return frame.params;
  };
  const { capabilities } = paramsOf("initialize") as { capabilities: object };
  return { capabilities, thread: paramsOf("thread/start") };
}

type Said = { readonly method?: string; readonly params?: object };

async function framesIn(folder: string): Promise<readonly Said[]> {
  const [file = ""] = await readdir(folder);
  const text = await readFile(join(folder, file), "utf8");
  const frames = text.split("\n").map(parseRecording);
  return frames.filter((frame) => frame?.dir === "c>s").map((frame) => frame?.msg as Said);
}
