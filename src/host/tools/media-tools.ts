import type { Loaded } from "../../config/config.ts";
import type { Auxiliary } from "../../core/auxiliary.ts";
import type { ProcessRegistry } from "../../lib/process/child.ts";
import type { Clock } from "../../lib/clock.ts";
import { imageGenerateTool } from "../../tools/media/image-generate.ts";
import { textToSpeechTool } from "../../tools/media/text-to-speech.ts";
import { type VisionDeps, visionAnalyzeTool } from "../../tools/media/vision-analyze.ts";
import { type NetGuard, netGuard, hostPortOf } from "../../tools/net/guard.ts";
import { guardedFetch } from "../../tools/net/guarded-fetch.ts";
import type { Tool } from "../../tools/tool.ts";
import type { PageAccess } from "../../tools/web/page-question.ts";
import { mediaService } from "./media-service.ts";
import type { Routes } from "../models/routes.ts";
import { type CostLedger, costLedger } from "../models/usage-access.ts";
import { describe, visionUnavailable } from "./vision.ts";
import { pageAccess } from "./web-tools.ts";

export type MediaSources = CostLedger & {
  readonly loaded: Loaded;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly routes: Pick<Routes, "at">;
  readonly auxiliary: Auxiliary;
  readonly access: PageAccess;
  /** What no tool reads. */
  readonly guarded: readonly string[];
  readonly processes: ProcessRegistry;
  readonly clock: Clock;
  readonly log: (line: string) => void;
};

type Needs = Omit<MediaSources, "access" | keyof CostLedger> &
  Parameters<typeof costLedger>[0] &
  Parameters<typeof pageAccess>[0];

/** The tools, on the parts of a host. */
export const hostMediaTools = (needs: Needs): Promise<readonly Tool[]> =>
  mediaTools({ ...needs, ...costLedger(needs), access: pageAccess(needs) });

/** Tools that see, draw and speak. */
export async function mediaTools(sources: MediaSources): Promise<readonly Tool[]> {
  const { loaded, env, routes, access, guarded, processes } = sources;
  const { config } = loaded;
  const mediaFolder = config.paths.media;
  const why = await visionUnavailable(loaded, routes);
  const seeing = visionAnalyzeTool({
    describe: describe(sources),
    unavailable: () => why,
    places: { mediaFolder, guarded },
    access,
    fetch: fetching(netGuard({ allowPrivate: config.web.allowPrivate }), 20),
  });
  const speaking = textToSpeechTool({
    speaker: () =>
      config.tts.provider === "espeak" ? "espeak" : mediaService(loaded, { key: "tts", does: "speaks" }),
    ...(config.tts.voice === undefined ? {} : { voice: config.tts.voice }),
    mediaFolder,
    env,
    processes,
  });
  return [seeing, drawingTool(sources, mediaFolder), speaking] as readonly Tool[];
}

function drawingTool({ loaded, record, clock, log, ...sources }: MediaSources, mediaFolder: string) {
  return imageGenerateTool({
    service: () => mediaService(loaded, { key: "image_gen", does: "draws pictures" }),
    mediaFolder,
    fetch: fetching(drawingGuard(loaded), 64),
    usedUp: async (session) => {
      const spent = await sources.usedUp(session);
      return spent && `${spent.message} ${spent.next}`;
    },
    async record(tokens, { name, model }, session) {
      const row = { ...tokens, at: clock.now(), session, cause: "image_generate", runtime: "loop" } as const;
      // A ledger that cannot be written to is no reason to throw away a picture.
      await record({ ...row, provider: name, model }).catch((error: unknown) =>
        log(`costs of image_generate: ${String(error)}`),
      );
    },
  });
}

/** A server on this machine that draws may give out the picture itself: it is the one that the person chose. */
function drawingGuard({ config }: Loaded): NetGuard {
  const provider = config.providers[config.imageGen.provider ?? ""];
  const own = provider?.kind === "route" ? URL.parse(provider.api) : null;
  return netGuard({ allowPrivate: [...config.web.allowPrivate, ...(own === null ? [] : [hostPortOf(own)])] });
}

const fetching =
  (guard: NetGuard, mebibytes: number): VisionDeps["fetch"] =>
  (url, { signal, clock }) =>
    guardedFetch(url, {
      guard,
      clock,
      signal,
      maxBytes: mebibytes * 1024 * 1024,
      timeoutMs: 60_000,
      accept: "image/png, image/jpeg, image/webp, image/gif",
    });
