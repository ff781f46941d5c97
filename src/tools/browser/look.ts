import { z } from "zod";
import { cutEnd } from "../cut-middle.ts";
import { delimited } from "../../core/text/delimited.ts";
import { type Tool, failed } from "../tool.ts";
import { type BrowserDeps, common, onPage } from "./command.ts";
import { loadTime } from "./navigate.ts";
import { pageReport, sourceOf } from "./page-report.ts";
import { picturesIn } from "./page-scripts.ts";

const snapshotSchema = z.object({
  full: z.boolean().optional().describe("All text of the page, not only what can be acted on"),
});

export function snapshotTool(deps: BrowserDeps): Tool<typeof snapshotSchema> {
  return {
    ...common(deps),
    name: "browser_snapshot",
    description:
      "Look at the open page: what can be acted on with refs (@e1), headings, dialogs; with full all its text.",
    schema: snapshotSchema,
    effect: "none",
    run: ({ full = false }, context) =>
      onPage(deps, context, (open) =>
        pageReport(open, context, { full, maxChars: full ? 40_000 : 20_000, ...loadTime(deps) }),
      ),
  };
}

const mostPictures = 100;
const pictures = z.array(
  z.object({ src: z.string(), alt: z.string(), width: z.number(), height: z.number() }).catch({
    src: "",
    alt: "",
    width: 0,
    height: 0,
  }),
);
const imagesSchema = z.object({});

export function imagesTool(deps: BrowserDeps): Tool<typeof imagesSchema> {
  return {
    ...common(deps),
    name: "browser_get_images",
    description: "List the images of the open page: address, alternative text and size.",
    schema: imagesSchema,
    effect: "none",
    run: (_, context) =>
      onPage(deps, context, async (_open, page) => {
        const perFrame = await Promise.all(
          page.frames().map(async (frame) => {
            const found = await frame.evaluate(picturesIn(mostPictures)).catch(() => []);
            return pictures.safeParse(found).data ?? [];
          }),
        );
        const shown = perFrame.flat().filter(({ src }) => src !== "");
        if (shown.length === 0) return { ok: true, output: "There are no images on the page." };
        const lines = shown.slice(0, mostPictures).map(({ src, alt, width, height }) => {
          const name = alt === "" ? "" : ` ${JSON.stringify(cutEnd(alt, 200))}`;
          return `- ${pictureAddress(src)}${name} ${width}x${height}`;
        });
        if (shown.length > lines.length) lines.push(`(${shown.length - lines.length} more were left out.)`);
        return { ok: true, output: delimited(sourceOf(page.url()), lines.join("\n")) };
      }),
  };
}

const pictureAddress = (src: string): string =>
  src.startsWith("data:") ? `${cutEnd(src, 40)}… (${src.length} characters)` : cutEnd(src, 2_000);

const consoleSchema = z.object({
  clear: z.boolean().optional().describe("Forget the messages afterwards"),
});

export function consoleTool(deps: BrowserDeps): Tool<typeof consoleSchema> {
  return {
    ...common(deps),
    name: "browser_console",
    description: "Read what the open page wrote to its console, and its uncaught errors.",
    schema: consoleSchema,
    effect: "none",
    run: ({ clear = false }, context) =>
      onPage(deps, context, async ({ tab }, page) => {
        const messages = tab.messages(clear);
        if (messages.length === 0) return { ok: true, output: "The console of the page is empty." };
        return { ok: true, output: delimited(sourceOf(page.url()), messages.join("\n")) };
      }),
  };
}

const visionSchema = z.object({
  question: z.string().min(1).max(4_000).describe("What you want to know about how the page looks"),
});

export function visionTool(deps: BrowserDeps): Tool<typeof visionSchema> {
  return {
    ...common(deps),
    name: "browser_vision",
    description:
      "Take a picture of the visible part of the open page and answer a question about it. For layout, charts and pictures.",
    schema: visionSchema,
    effect: "none",
    timeoutMs: 90_000,
    unavailable: () => deps.unavailable ?? deps.visionUnavailable,
    run: ({ question }, context) =>
      onPage(deps, context, async (_open, page) => {
        const { session, signal } = context;
        const picture = await page.screenshot({ type: "png", timeout: 15_000, signal });
        const image = { mediaType: "image/png", base64: picture.toString("base64") } as const;
        const seen = await deps.describe(image, question, session, signal);
        if ("unavailable" in seen)
          return failed(`Nobody can look at the page: ${seen.unavailable} browser_snapshot reads its text.`);
        return { ok: true, output: delimited(`a look at ${sourceOf(page.url())}`, seen.text) };
      }),
  };
}
