import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { startMediaService } from "../../fakes/media-service.ts";
import { png } from "../../fakes/media-service-pictures.ts";
import { type CodexTalaria, talariaOnCodex } from "../codex/codex-talaria.ts";
import { says } from "../endpoint.ts";
import { type ToolCall, everyCall, goal, pictureQuestion, skill } from "./calls.ts";
import { type Site, startSite } from "./site.ts";

/** The real program with everything that its tools need, and an earlier session to find. */
export type World = AsyncDisposable & {
  readonly it: CodexTalaria;
  readonly site: Site;
  readonly calls: readonly ToolCall[];
};

export const prompt = "Try every tool.";

/** `steps`: what the model does in the turns of this prompt, from the calls. */
export async function everyToolWorld(
  steps: (calls: readonly ToolCall[]) => readonly object[],
  protocol: "responses" | "chat" = "responses",
  unaccounted?: string,
): Promise<World> {
  await using parts = new AsyncDisposableStack();
  const site = parts.use(await startSite());
  const drawer = parts.use(await startMediaService([], { picture: png(12, 8) }));
  const calls = everyCall(site);
  const it = parts.use(
    await talariaOnCodex(
      {
        maxRequests: 200,
        steps: [
          { when: "what flies", ...says("Herons fly at dusk.") },
          ...steps(calls).map((step) => ({ when: prompt, ...step })),
          { when: goal, ...says("Heron, said the child.") },
          ...[1, 2].map(() => ({ when: pictureQuestion.slice(0, -1), ...says("A grey heron.") })),
        ],
      },
      unaccounted === undefined ? {} : { unaccounted },
    ),
  );
  const file = join(it.home, "config.yaml");
  await writeFile(file, settings(it.model.url, protocol, site, drawer.url), { mode: 0o600 });
  await mkdir(dirname(join(it.home, skill.file)), { recursive: true });
  await writeFile(join(it.home, skill.file), skill.text);
  const { code, stderr } = await it.run(["run", "what flies at dusk?"]);
  assert.equal(code, 0, stderr);
  const kept = parts.move();
  return { it, site, calls, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

const settings = (api: string, protocol: string, site: Site, drawer: string): string => `
model: { provider: mine, default: gpt-5.5, openai_runtime: auto }
providers:
  mine: { api: "${api}", protocol: ${protocol}, key_env: MINE_KEY }
  drawer: { api: "${drawer}", protocol: chat }
auxiliary: { title_generation: { enabled: false } }
web: { search: { backend: searxng, url: "${site.url}" }, allow_private: ["${site.hostPort}"] }
image_gen: { provider: drawer, model: painter }
`;
