import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newId } from "../../src/core/ids.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { startDemoModel } from "../../test/fakes/demo-model.ts";
import { pinnedCodex, privateHome } from "../../test/codex-schema/pinned-codex.ts";
import type { Job, Mutant } from "./job.ts";
import { type Story, fakeScript, modelScript, newStory } from "./story.ts";

/** Everything that one run needs, and nothing that another one has touched. */
export type Place = AsyncDisposable & {
  readonly codex: "real" | "fake";
  readonly story: Story;
  readonly job: Job;
  /** What the model was asked, oldest first. The fake codex asks none. */
  readonly asked: () => readonly unknown[];
};

const fakeCodex = join(import.meta.dirname, "../../test/fakes/fake-codex/fake-codex");

/** `killAfter`: the fake codex ends itself after that frame. */
export async function newPlace(
  codex: Place["codex"],
  { killAfter, mutant }: { readonly killAfter?: number | undefined; readonly mutant: Mutant | undefined },
): Promise<Place> {
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "talaria-codex-kill-"));
  opened.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const codexHome = opened.use(await privateHome()).path;
  const story = newStory();
  const model = opened.use(await startDemoModel({ clock: systemClock, script: modelScript(story) }));
  const [home, cwd] = [join(folder, "home"), join(folder, "work")];
  await mkdir(home, { mode: 0o700 });
  await mkdir(cwd);
  await writeFile(join(cwd, "notes.txt"), "the bench was here\n");
  if (codex === "fake")
    await writeFile(join(codexHome, "fake-codex.json"), JSON.stringify(fakeScript(story, killAfter)));
  const kept = opened.move();
  return {
    codex,
    story,
    job: {
      home,
      cwd,
      codexHome,
      binary: codex === "real" ? pinnedCodex() : fakeCodex,
      model: model.url,
      session: newId("ses", systemClock.now()),
      inputs: [story.first, story.work, story.next],
      marker: `CODEX_KILL_${story.number}`,
      ...(mutant === undefined ? {} : { mutant }),
    },
    asked: () => model.requests.map((request) => request.body),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
