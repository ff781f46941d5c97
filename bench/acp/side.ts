import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type AgentProgram, type TestEditor, startEditor } from "../../test/e2e/acp/editor.ts";
import { type Place, environment, modelName, newPlace } from "../codex/place.ts";

/** The agents: the protocol's own adapter for codex, and ours. */
export const sideNames = ["adapter", "talaria"] as const;
export type SideName = (typeof sideNames)[number];

export type Each<Value> = Readonly<Record<SideName, Value>>;

export const forEach = <Value>(pick: (name: SideName) => Value): Each<Value> => ({
  adapter: pick("adapter"),
  talaria: pick("talaria"),
});

/** An agent in a home of its own, on the same codex and the same model as the other. */
export type Side = AsyncDisposable & {
  readonly name: SideName;
  readonly place: Place;
  start(): Promise<TestEditor>;
};

export async function newSide(name: SideName, binary: string, modelUrl: string): Promise<Side> {
  await using opened = new AsyncDisposableStack();
  const place = opened.use(await newPlace(binary, modelUrl));
  if (name === "adapter") await tellCodex(place);
  if (name === "talaria") await appendFile(join(place.home, "config.yaml"), noTitles);
  const kept = opened.move();
  return {
    name,
    place,
    start: () => startEditor(programOf(name, place)),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** They would be asked of the model beside the turn. */
const noTitles = "auxiliary: { title_generation: { enabled: false } }\n";

/** What Talaria says when it starts codex, codex has to read in its own settings when somebody else starts it. */
async function tellCodex({ codexHome, modelUrl }: Place): Promise<void> {
  const file = join(codexHome, "config.toml");
  const before = await readFile(file, "utf8");
  const settings = `model = "${modelName}"
model_provider = "scripted"
sandbox_mode = "workspace-write"
approval_policy = "on-request"
${before}
[model_providers.scripted]
name = "scripted"
base_url = "${modelUrl}"
wire_api = "responses"
supports_websockets = false
`;
  await writeFile(file, settings);
}

/** Both on the same Node. */
const programs = {
  adapter: [process.execPath, fileURLToPath(import.meta.resolve("@agentclientprotocol/codex-acp"))],
  talaria: [resolve("bin/talaria"), "acp"],
} as const;

function programOf(name: SideName, place: Place): AgentProgram {
  const [command, ...args] = programs[name];
  return { command, args, cwd: place.cwd, env: { ...environment(place), CODEX_PATH: place.binary } };
}
