import type { Frame, Locator, Page } from "playwright-core";
import { hostPortOf } from "../net/guard.ts";
import { focusedIn } from "./page-scripts.ts";

/** Where an action would have its effect. `host` is for people and rules, `hostPort` always has the port. */
export type ActionTarget = { readonly host: string; readonly hostPort: string };

export const staleRef = (ref: string): string =>
  `There is no element @${plainRef(ref)} on the page now. Refs are good for the latest snapshot only: take a new snapshot with browser_snapshot.`;

/** Models write `@e1`, `e1` and `[ref=e1]`. */
export const plainRef = (written: string): string =>
  written
    .trim()
    .replace(/^\[?(?:ref=)?@?/, "")
    .replace(/\]$/, "");

/** Undefined: no such element is on the page. */
export async function elementOf(page: Page, written: string): Promise<Locator | undefined> {
  const ref = plainRef(written);
  if (!/^(?:f\d+)*e\d+$/.test(ref)) return undefined;
  const found = page.getByRef(ref);
  // Of a frame that is gone it throws.
  return (await found.count().catch(() => 0)) === 1 ? found : undefined;
}

/** An element may stand in a frame of another host. */
export async function targetOfElement(element: Locator): Promise<ActionTarget> {
  const handle = await element.elementHandle();
  const frame = await handle?.ownerFrame();
  await handle?.dispose();
  return targetOfFrame(frame ?? null);
}

/** Where a key would go. */
export async function targetOfFocus(page: Page): Promise<ActionTarget> {
  let frame = page.mainFrame();
  for (let inner = await focusedFrame(frame); inner !== null; inner = await focusedFrame(frame))
    frame = inner;
  return targetOfFrame(frame);
}

async function focusedFrame(frame: Frame): Promise<Frame | null> {
  const handle = await frame.evaluateHandle(focusedIn);
  const inner = (await handle.asElement()?.contentFrame()) ?? null;
  await handle.dispose();
  return inner;
}

/** A frame without an address of its own belongs to the one around it. */
function targetOfFrame(frame: Frame | null): ActionTarget {
  for (let one = frame; one !== null; one = one.parentFrame()) {
    const url = URL.parse(one.url());
    if (url !== null && /^https?:$/.test(url.protocol)) return { host: url.host, hostPort: hostPortOf(url) };
  }
  return { host: "a page without an address", hostPort: "" };
}
