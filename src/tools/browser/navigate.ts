import type { Page, Response } from "playwright-core";
import { z } from "zod";
import { portOf } from "../net/guard.ts";
import { webAddress } from "../net/guarded-fetch.ts";
import { withinTime } from "../../lib/time-limit.ts";
import { type Tool, type ToolContext, type ToolResult, failed } from "../tool.ts";
import { pageQuestion } from "../web/page-question.ts";
import type { OpenTab } from "./browser-sessions.ts";
import { type BrowserDeps, common, reasonOf } from "./command.ts";
import { pageReport } from "./page-report.ts";

const schema = z.object({ url: z.string().min(1).max(8_000).describe("http or https address") });

const defaultNavigationMs = 30_000;
const blankPageMs = 10_000;

export function navigateTool(deps: BrowserDeps): Tool<typeof schema> {
  return {
    ...common(deps),
    name: "browser_navigate",
    description:
      "Open a page in a real browser. Gives its address, title and what can be acted on, each with a ref such as @e1. " +
      "For reading alone, web_extract is faster. Each session has its own browser without your person's logins.",
    schema,
    effect: "external",
    // The page, what loads after it, and the start of the browser before it.
    timeoutMs: 60_000,
    async asks({ url }, context) {
      const address = webAddress(url);
      if ("why" in address) return { refused: address.why };
      return pageQuestion("browser_navigate", [address.href], deps.access, context);
    },
    async run({ url }, context) {
      const address = webAddress(url);
      if ("why" in address) return failed(address.why);
      const checked = await deps.guard.check(address.hostname, portOf(address), context.signal);
      if ("refused" in checked) return failed(checked.refused);
      return navigate(deps, address, context);
    },
  };
}

async function navigate(deps: BrowserDeps, address: URL, context: ToolContext): Promise<ToolResult> {
  const { sessions, navigationMs = defaultNavigationMs } = deps;
  const open = await sessions.open(context.session).catch(startFault);
  if ("why" in open) return failed(open.why);
  try {
    if (open.tab.stuck) await open.tab.leaveStuck();
    const page = await openPage(open.tab, context);
    const went = await goTo(page, address.href, navigationMs, context);
    const refusal = refusalOnTheWay(open, went.last);
    if (refusal !== undefined)
      return await leave(page, open, `${hostOf(went.last)} was not opened: ${refusal}`);
    if ("why" in went) return await leave(page, open, went.why);
    const status = went.response?.status();
    const summary =
      status === undefined || status < 400 ? {} : { summary: `The server answered with ${status}.` };
    return await pageReport(open, context, { ...summary, ...loadTime(deps) });
  } catch (error) {
    return failed(reasonOf(error));
  } finally {
    sessions.touch(context.session);
  }
}

/**
 * A blank page whose process ends just as it begins never comes and is never called crashed: after a while, or when
 * it did crash, another one is asked for.
 */
export async function openPage(
  tab: Pick<OpenTab["tab"], "page">,
  { clock, signal }: Pick<ToolContext, "clock" | "signal">,
): Promise<Page> {
  const open = () => withinTime(blankPageMs, clock, signal, () => tab.page());
  const first = await open().catch(() => undefined);
  const opened = first?.end === "done" || first?.end === "stopped" ? first : await open();
  signal.throwIfAborted();
  if (opened.end === "done") return opened.value;
  throw new Error(`no page was there within ${blankPageMs / 1_000} s. Try once more.`);
}

const startFault = (error: unknown): { readonly why: string } => ({
  why: `The browser did not start: ${error instanceof Error ? error.message : String(error)}`,
});

export const loadTime = ({ loadMs }: BrowserDeps): { readonly loadMs?: number } =>
  loadMs === undefined ? {} : { loadMs };

/** `last`: the address that was asked for last, after all redirects. */
type Navigation = { readonly last: string } & (
  | { readonly response: Response | null }
  | { readonly why: string }
);

async function goTo(
  page: Page,
  href: string,
  ms: number,
  { clock, signal }: ToolContext,
): Promise<Navigation> {
  let last = href;
  const follow = (request: { isNavigationRequest(): boolean; frame(): unknown; url(): string }): void => {
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) last = request.url();
  };
  page.on("request", follow);
  try {
    const went = await withinTime(ms, clock, signal, (inner) =>
      page.goto(href, { waitUntil: "commit", timeout: 0, signal: inner }),
    );
    if (went.end === "done") return { last, response: went.value };
    await stopLoading(page);
    if (went.end === "stopped") return { last, why: "interrupted" };
    return {
      last,
      why: `${hostOf(last)} did not answer within ${ms / 1_000} s. Try later, or another page.`,
    };
  } catch (error) {
    if (signal.aborted) await stopLoading(page);
    return { last, why: whyNot(error, last) };
  } finally {
    page.off("request", follow);
  }
}

function whyNot(error: unknown, last: string): string {
  const text = error instanceof Error ? error.message : String(error);
  if (/Download is starting/i.test(text))
    return "That address is a download, and downloads are refused. Use web_extract to read a document.";
  const [, code] = /net::(ERR_[A-Z_0-9]+)/.exec(text) ?? [];
  if (code === undefined) return reasonOf(error);
  return `${hostOf(last)} could not be opened (${code}). Check the address, or try later.`;
}

async function stopLoading(page: Page): Promise<void> {
  try {
    const cdp = await page.context().newCDPSession(page);
    await cdp.send("Page.stopLoading");
    await cdp.detach();
  } catch {
    // The page is gone, and its loading with it.
  }
}

function refusalOnTheWay({ refusal }: OpenTab, last: string): string | undefined {
  const url = URL.parse(last);
  return url === null ? undefined : refusal(url.hostname, portOf(url));
}

/** Nothing of a page that was not reached is left to act on. */
async function leave(page: Page, { tab }: OpenTab, why: string): Promise<ToolResult> {
  await page.goto("about:blank").catch(() => {});
  tab.takeNotes();
  return failed(why);
}

const hostOf = (address: string): string => URL.parse(address)?.host ?? address;
