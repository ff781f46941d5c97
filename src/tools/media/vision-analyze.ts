import { z } from "zod";
import type { AuxiliaryImage } from "../../core/auxiliary.ts";
import type { SessionId } from "../../core/ids.ts";
import { delimited } from "../../core/text/delimited.ts";
import type { Fetched } from "../net/guarded-fetch.ts";
import { type PageAccess, pageQuestion } from "../web/page-question.ts";
import { type ApprovalRequest, type Tool, type ToolContext, failed } from "../tool.ts";
import {
  type FoundPicture,
  type NoPicture,
  type ReadablePaths,
  checkedPicture,
  pictureInAddress,
  pictureInFile,
} from "./picture-source.ts";

/** Asks a model that sees. Never rejects. */
export type DescribePicture = (
  image: AuxiliaryImage,
  question: string,
  session: SessionId,
  signal: AbortSignal,
) => Promise<{ readonly text: string } | { readonly unavailable: string }>;

export type VisionDeps = {
  readonly describe: DescribePicture;
  readonly unavailable: () => string | undefined;
  readonly places: Omit<ReadablePaths, "cwd">;
  /** Decides what the person is asked before an address is fetched. */
  readonly access: PageAccess;
  readonly fetch: (url: string, context: Pick<ToolContext, "signal" | "clock">) => Promise<Fetched>;
};

const schema = z.object({
  image: z
    .string()
    .min(1)
    .describe(
      "Path of a picture (PNG, JPEG, GIF, WebP) in the working folder, or an http(s) or data address",
    ),
  question: z.string().trim().min(1).max(4000).describe("What to find out about the picture"),
});

export function visionAnalyzeTool(deps: VisionDeps): Tool<typeof schema> {
  return {
    name: "vision_analyze",
    toolset: "vision",
    description:
      "Have a picture looked at, and a question about it answered in words. Takes a file in the working folder, a file that another tool made, or an address.",
    schema,
    deferred: true,
    effect: "external",
    timeoutMs: 180_000,
    maxOutputChars: 40_000,
    unavailable: deps.unavailable,

    asks: async ({ image }, context) =>
      isWebAddress(image)
        ? pageQuestion("vision_analyze", [image], deps.access, context)
        : nothingToAsk(image, context.cwd),

    async run({ image, question }, context) {
      const picture = await pictureAt(deps, image, context);
      if ("why" in picture) return failed(picture.why);
      const { session, signal } = context;
      const { mediaType, base64, width, height } = picture;
      const described = await deps.describe({ mediaType, base64 }, question, session, signal);
      signal.throwIfAborted();
      if ("unavailable" in described)
        return failed(`The picture was not looked at: ${described.unavailable}`);
      const source = `a picture (${named(image)}, ${width} × ${height} pixels), as a model sees it`;
      return { ok: true, output: delimited(source, described.text) };
    },
  };
}

async function pictureAt(
  { places, fetch }: VisionDeps,
  image: string,
  context: ToolContext,
): Promise<FoundPicture | NoPicture> {
  if (/^data:/i.test(image)) return pictureInAddress(image);
  if (!isWebAddress(image))
    return pictureInFile(image, {
      ...places,
      cwd: context.cwd,
      guarded: [...places.guarded, ...(context.hidden ?? [])],
    });
  const found = await fetch(image, context);
  context.signal.throwIfAborted();
  if (!found.ok) return { why: `The picture was not fetched: ${found.why}` };
  if (found.status !== 200)
    return { why: `${named(image)} answered with ${found.status} and no picture. Check the address.` };
  return checkedPicture(named(image), Buffer.from(found.body));
}

const isWebAddress = (image: string): boolean => /^https?:/i.test(image);

const nothingToAsk = (image: string, cwd: string): ApprovalRequest => ({
  effect: "none",
  action: { kind: "tool" },
  summary: `look at ${named(image)}`,
  cwd,
});

/** Short enough for a sentence. */
const named = (image: string): string => {
  if (/^data:/i.test(image)) return "a data address";
  return image.length > 200 ? `${image.slice(0, 200)}…` : image;
};
