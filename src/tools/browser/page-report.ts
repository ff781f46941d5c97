import type { Page } from "playwright-core";
import { z } from "zod";
import type { Clock } from "../../lib/clock.ts";
import { cutEnd } from "../cut-middle.ts";
import { delimited } from "../../core/text/delimited.ts";
import { portOf } from "../net/guard.ts";
import { withinTime } from "../../lib/time-limit.ts";
import { type ToolContext, type ToolResult, failed } from "../tool.ts";
import { noPage } from "./command.ts";
import type { OpenTab } from "./browser-sessions.ts";
import { outline } from "./outline.ts";
import { passwordsIn, untilQuiet } from "./page-scripts.ts";

export type ReportOptions = {
  /** What was done, in one sentence. */
  readonly summary?: string;
  readonly full?: boolean;
  readonly maxChars?: number;
  readonly loadMs?: number;
};

const shortChars = 6_000;
const defaultLoadMs = 5_000;
const quietMs = 3_000;
const mostNavigations = 3;

/** Where the page is after a command and what can be done there, so that the model need not look again. */
export async function pageReport(
  open: OpenTab,
  { clock, signal }: Pick<ToolContext, "clock" | "signal">,
  options: ReportOptions = {},
): Promise<ToolResult> {
  const { summary, loadMs = defaultLoadMs } = options;
  const loaded = await settled(open, clock, signal, loadMs);
  const view = await viewOf(open, signal, options);
  const notes = open.tab.takeNotes();
  const lines = [...(summary === undefined ? [] : [summary]), ...notes.map((note) => note.text)];
  const quotes = notes.flatMap(({ quote }) => (quote === undefined ? [] : [quote]));
  if (view === undefined) return failed([...lines, noPage].join("\n"));
  const { address, title, seen } = view;
  const refusal = refusalOf(open, address);
  const output = [
    ...lines,
    ...(refusal === undefined ? [] : [`This page was not let through: ${refusal}`]),
    ...(loaded ? [] : ["The page is still loading; what follows is what is there already."]),
    `Address: ${cutEnd(address, 2_000)}`,
    delimited(sourceOf(address), [...quotes, `Title: ${cutEnd(title, 300)}`, seen].join("\n")),
  ];
  return { ok: refusal === undefined, output: output.join("\n") };
}

type View = { readonly address: string; readonly title: string; readonly seen: string };

/** All of it from one page, though it may go elsewhere meanwhile. Undefined: none is open. */
async function viewOf(
  { tab }: OpenTab,
  signal: AbortSignal,
  { full = false, maxChars = shortChars }: ReportOptions,
): Promise<View | undefined> {
  for (let times = 1; ; times += 1) {
    const page = tab.current();
    if (page === undefined) return undefined;
    try {
      const address = page.url();
      const tree = await page.ariaSnapshotJSON({ mode: "ai", signal });
      const [title, passwords] = await Promise.all([page.title(), passwordsOf(page)]);
      const seen = outline(tree, { full, maxChars, base: address, passwords });
      if (times >= mostNavigations || (page === tab.current() && page.url() === address))
        return { address, title, seen };
    } catch (error) {
      if (times >= mostNavigations || signal.aborted) throw error;
    }
  }
}

const words = z.array(z.string());

async function passwordsOf(page: Page): Promise<ReadonlySet<string>> {
  const perFrame = await Promise.all(
    page
      .frames()
      .map(async (frame) => words.safeParse(await frame.evaluate(passwordsIn).catch(() => [])).data),
  );
  return new Set(perFrame.flatMap((found) => found ?? []));
}

/** Resolves when the page is there and has stopped changing, or has had its time. False: it is still loading. */
async function settled(open: OpenTab, clock: Clock, signal: AbortSignal, loadMs: number): Promise<boolean> {
  for (let times = 0; times < mostNavigations; times += 1) {
    const page = open.tab.current();
    if (page === undefined) return true;
    const load = await withinTime(loadMs, clock, signal, () => page.waitForLoadState("load", { timeout: 0 }));
    signal.throwIfAborted();
    const isQuiet = await quiet(page, clock, signal);
    if (load.end !== "done") return false;
    if (isQuiet && page === open.tab.current()) return true;
  }
  return true;
}

/** False: the page went elsewhere meanwhile. */
async function quiet(page: Page, clock: Clock, signal: AbortSignal): Promise<boolean> {
  try {
    await withinTime(quietMs, clock, signal, () => page.evaluate(untilQuiet));
    return true;
  } catch {
    return false;
  }
}

export const sourceOf = (address: string): string => `the web page at ${URL.parse(address)?.host || address}`;

function refusalOf(open: OpenTab, address: string): string | undefined {
  const url = URL.parse(address);
  return url === null || url.host === "" ? undefined : open.refusal(url.hostname, portOf(url));
}
