import type { Page } from "playwright-core";
import { z } from "zod";
import { withinTime } from "../../lib/time-limit.ts";
import { type Tool, failed } from "../tool.ts";
import { type BrowserDeps, common, onPage } from "./command.ts";
import { loadTime } from "./navigate.ts";
import { pageReport } from "./page-report.ts";
import { scrollBy } from "./page-scripts.ts";

const scrollSchema = z.object({ direction: z.enum(["up", "down"]) });
const position = z.object({ before: z.number(), after: z.number(), below: z.number() });

const wheelPixels = 700;

export function scrollTool(deps: BrowserDeps): Tool<typeof scrollSchema> {
  return {
    ...common(deps),
    name: "browser_scroll",
    description: "Scroll the open page by most of its height, so that it loads what comes next.",
    schema: scrollSchema,
    effect: "none",
    run: ({ direction }, context) =>
      onPage(deps, context, async (open, page) => {
        const { before, after, below } = position.parse(await page.evaluate(scrollBy(direction)));
        // It may be a part of the page that scrolls, not the page.
        if (before === after) await page.mouse.wheel(0, direction === "up" ? -wheelPixels : wheelPixels);
        const summary =
          before === after
            ? `The page itself does not scroll further ${direction}.`
            : `Scrolled ${direction}: ${Math.round(after)} pixels above, ${Math.round(below)} below.`;
        return pageReport(open, context, { summary, ...loadTime(deps) });
      }),
  };
}

const backSchema = z.object({});
const defaultNavigationMs = 30_000;

export function backTool(deps: BrowserDeps): Tool<typeof backSchema> {
  return {
    ...common(deps),
    name: "browser_back",
    description: "Go back to the page before this one.",
    schema: backSchema,
    effect: "none",
    timeoutMs: 45_000,
    run: (_, context) =>
      onPage(deps, context, async (open, page) => {
        const { clock, signal } = context;
        const report = { summary: "Went back.", ...loadTime(deps) };
        if (!(await hasPast(page))) {
          if (await open.tab.closeTop()) return pageReport(open, context, report);
          return failed("There is no page before this one.");
        }
        const { navigationMs = defaultNavigationMs } = deps;
        const went = await withinTime(navigationMs, clock, signal, (inner) =>
          page.goBack({ waitUntil: "commit", timeout: 0, signal: inner }),
        );
        if (went.end !== "done") return failed("The page before this one did not come back in time.");
        return pageReport(open, context, report);
      }),
  };
}

const history = z.object({ currentIndex: z.number(), entries: z.array(z.object({ url: z.string() })) });

/** Every page begins empty; that is no page to go back to. */
async function hasPast(page: Page): Promise<boolean> {
  const cdp = await page.context().newCDPSession(page);
  const { currentIndex, entries } = history.parse(await cdp.send("Page.getNavigationHistory"));
  await cdp.detach();
  return entries.slice(0, currentIndex).some(({ url }) => url !== "about:blank");
}
