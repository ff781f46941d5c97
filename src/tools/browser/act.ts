import type { Locator, Page } from "playwright-core";
import { z } from "zod";
import { type ApprovalRequest, type Tool, type ToolContext, type ToolResult, failed } from "../tool.ts";
import {
  type ActionTarget,
  elementOf,
  targetOfElement,
  targetOfFocus,
  plainRef,
  staleRef,
} from "./action-target.ts";
import { type BrowserDeps, common, noPage, onPage } from "./command.ts";
import { loadTime } from "./navigate.ts";
import { pageReport } from "./page-report.ts";

const ref = z.string().min(1).max(40).describe("Ref of the element in the latest snapshot, such as @e1");
const clickSchema = z.object({ ref });
const typeSchema = z.object({
  ref,
  text: z.string().max(20_000).describe("Replaces what the field holds; for a list, the choice"),
  submit: z.boolean().optional().describe("Press Enter afterwards"),
});
const pressSchema = z.object({
  key: z.string().min(1).max(60).describe("Such as Enter, Escape, Tab, ArrowDown, Control+A"),
});

const defaultElementMs = 10_000;

export function clickTool(deps: BrowserDeps): Tool<typeof clickSchema> {
  const click = actionTool<{ readonly ref: string }>(deps, {
    words: (args) => `click @${plainRef(args.ref)}`,
    done: () => "Clicked.",
    act: (_, { element, wait }) => element?.click(wait),
  });
  return {
    ...common(deps),
    ...click,
    name: "browser_click",
    description: "Click an element of the open page. Gives the page as it is afterwards.",
    schema: clickSchema,
    effect: "external",
  };
}

export function typeTool(deps: BrowserDeps): Tool<typeof typeSchema> {
  const type = actionTool<z.infer<typeof typeSchema>>(deps, {
    words: (args) => `type into @${plainRef(args.ref)}${args.submit === true ? " and press Enter" : ""}`,
    refused: ({ text }) =>
      deps.access.hasSecret(text)
        ? "the text holds a key or password of the person, and pages do not get those. Leave it out, or let the person type it."
        : undefined,
    done: ({ submit }) => (submit === true ? "Typed, and pressed Enter." : "Typed."),
    async act({ text, submit }, { element, wait }) {
      if (element === undefined) return;
      await enter(element, text, wait);
      if (submit === true) await element.press("Enter", wait);
    },
  });
  return {
    ...common(deps),
    ...type,
    name: "browser_type",
    description:
      "Put text into a field of the open page, or choose from a list by its label. Gives the page as it is afterwards.",
    schema: typeSchema,
    effect: "external",
  };
}

async function enter(element: Locator, text: string, wait: ElementWait): Promise<void> {
  const isList = (await element.evaluate((node: { readonly tagName: string }) => node.tagName)) === "SELECT";
  if (isList) await element.selectOption({ label: text }, wait);
  if (!isList) await element.fill(text, wait);
}

export function pressTool(deps: BrowserDeps): Tool<typeof pressSchema> {
  const press = actionTool<z.infer<typeof pressSchema>>(deps, {
    words: ({ key }) => `press ${key}`,
    done: ({ key }) => `Pressed ${key}.`,
    act: ({ key }, { page }) => page.keyboard.press(key),
  });
  return {
    ...common(deps),
    ...press,
    name: "browser_press",
    description: "Press a key in the open page. Gives the page as it is afterwards.",
    schema: pressSchema,
    effect: "external",
  };
}

type MayHaveRef = Readonly<Record<string, unknown>> & { readonly ref?: string };

/** How long an element may take until it can be acted on. */
type ElementWait = { readonly timeout: number; readonly signal: AbortSignal };

type Target = { readonly page: Page; readonly element: Locator | undefined; readonly wait: ElementWait };

type PageAction<Args> = {
  /** For the person who is asked. */
  words(args: Args): string;
  refused?(args: Args): string | undefined;
  done(args: Args): string;
  act(args: Args, target: Target): Promise<void> | undefined;
};

type ActingTool<Args> = {
  asks(args: Args, context: ToolContext): Promise<ApprovalRequest>;
  run(args: Args, context: ToolContext): Promise<ToolResult>;
};

/** Acting may change things at the other side, so it is asked about, once for each host. */
function actionTool<Args extends MayHaveRef>(deps: BrowserDeps, action: PageAction<Args>): ActingTool<Args> {
  return {
    async asks(args, context) {
      const refused = action.refused?.(args);
      if (refused !== undefined) return { refused };
      const page = deps.sessions.find(context.session)?.tab.current();
      if (page === undefined) return { refused: noPage };
      const found = await targetOf(page, args);
      if (found === undefined) return { refused: staleRef(args.ref ?? "") };
      deps.sessions.touch(context.session, deps.askMs);
      const run = (inner: ToolContext): Promise<ToolResult> => act(deps, action, args, found.target, inner);
      return { ...question(deps, found.target, action.words(args), context), run };
    },
    run: (args, context) => act(deps, action, args, undefined, context),
  };
}

function question(
  { access }: BrowserDeps,
  { host, hostPort }: ActionTarget,
  words: string,
  { cwd }: Pick<ToolContext, "cwd">,
): Extract<ApprovalRequest, { readonly effect: unknown }> {
  const about = { cwd, action: { kind: "tool" }, summary: `${words} on ${host} in the browser` } as const;
  const isOwn = access.allowPrivate.some((allowed) => allowed.toLowerCase() === hostPort);
  if (isOwn) return { ...about, effect: "none", lasting: true };
  return {
    ...about,
    effect: "external",
    args: { host, act: true },
    reason: `Acting on a page may change things at ${host}: send a form, buy, post, delete.`,
  };
}

/** `allowed`: the target that was asked about. */
function act<Args extends MayHaveRef>(
  deps: BrowserDeps,
  action: PageAction<Args>,
  args: Args,
  allowed: ActionTarget | undefined,
  context: ToolContext,
): Promise<ToolResult> {
  return onPage(deps, context, async (open, page) => {
    const found = await targetOf(page, args);
    if (found === undefined) return failed(staleRef(args.ref ?? ""));
    if (allowed !== undefined && found.target.hostPort !== allowed.hostPort) {
      return failed(
        `Nothing was done: the page went from ${allowed.host} to ${found.target.host} meanwhile. Take a new snapshot.`,
      );
    }
    const wait = { timeout: deps.elementMs ?? defaultElementMs, signal: context.signal };
    await action.act(args, { page, element: found.element, wait });
    return pageReport(open, context, { summary: action.done(args), ...loadTime(deps) });
  });
}

async function targetOf(
  page: Page,
  args: MayHaveRef,
): Promise<{ readonly element: Locator | undefined; readonly target: ActionTarget } | undefined> {
  if (args.ref === undefined) return { element: undefined, target: await targetOfFocus(page) };
  const element = await elementOf(page, args.ref);
  return element === undefined ? undefined : { element, target: await targetOfElement(element) };
}
