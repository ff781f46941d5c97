import type { Page } from "playwright-core";
import type { z } from "zod";
import { cutEnd } from "../cut-middle.ts";
import type { DescribePicture } from "../media/vision-analyze.ts";
import type { NetGuard } from "../net/guard.ts";
import { type Tool, type ToolContext, type ToolResult, failed } from "../tool.ts";
import type { PageAccess } from "../web/page-question.ts";
import type { OpenTab, BrowserSessions } from "./browser-sessions.ts";

/** What the browser tools work with. */
export type BrowserDeps = {
  readonly sessions: BrowserSessions;
  /** Why there is no browser. */
  readonly unavailable?: string;
  readonly guard: NetGuard;
  readonly access: PageAccess;
  readonly describe: DescribePicture;
  /** Why nobody can look at pictures. */
  readonly visionUnavailable?: string;
  /** How long a person may take to answer a question: a page stays open for that. */
  readonly askMs: number;
  /** How long a page may take to begin, and then to be all there. */
  readonly navigationMs?: number;
  readonly loadMs?: number;
  /** How long an element may take until it can be acted on. */
  readonly elementMs?: number;
};

const commandMs = 30_000;

/** What all tools of the browser have in common. They wait for each other: one acts on what another left. */
export const common = ({ unavailable }: BrowserDeps) =>
  ({
    toolset: "browser",
    deferred: true,
    inOrder: true,
    timeoutMs: commandMs,
    maxOutputChars: 60_000,
    unavailable: () => unavailable,
  }) as const satisfies Partial<Tool<z.ZodObject>>;

export type OnPage = (open: OpenTab, page: Page) => Promise<ToolResult>;

/** Runs a command on the page that is open. One that does not come back marks the page as stuck. */
export async function onPage(
  { sessions }: BrowserDeps,
  { session }: Pick<ToolContext, "session">,
  work: OnPage,
): Promise<ToolResult> {
  const open = sessions.find(session);
  const page = open?.tab.current();
  if (open === undefined || page === undefined) return failed(noPage);
  open.tab.stuck = true;
  try {
    return await work(open, page);
  } catch (error) {
    return failed(reasonOf(error));
  } finally {
    open.tab.stuck = false;
    sessions.touch(session);
  }
}

export const noPage =
  "No page is open: none was opened yet, or it was closed after two minutes without use, or it crashed. Open one with browser_navigate.";

/** The library's errors are a line followed by a log of what it tried. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  if (/intercepts pointer events/.test(text))
    return "Something else on the page covers that element. Close it first, or take a new snapshot.";
  if (/element is not visible/.test(text)) return "That element is not visible. Take a new snapshot.";
  if (/element is not enabled/.test(text)) return "That element is disabled, so nothing was done.";
  if (/did not find some options/.test(text))
    return "That list has no such choice, so nothing was chosen. The snapshot shows its choices.";
  if (/Element is not an <input>/.test(text)) return "Nothing can be typed into that element.";
  if (/(?:Target|Page|Browser|context).*(?:closed|crashed)|has been closed/i.test(text)) return noPage;
  const [first = ""] = text.split("\n");
  // oxlint-disable-next-line no-control-regex
  return `The browser could not do that: ${cutEnd(first.replaceAll(/\u001b\[[0-9;]*m/g, ""), 300)}`;
}
