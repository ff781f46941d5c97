import type { Tool } from "../tool.ts";
import { clickTool, pressTool, typeTool } from "./act.ts";
import { type BrowserSessions, browserSessions } from "./browser-sessions.ts";
import type { BrowserDeps } from "./browser-deps.ts";
import { type ChromiumOptions, startChromium } from "./chromium.ts";
import { findChromium } from "./executable.ts";
import { consoleTool, imagesTool, snapshotTool, visionTool } from "./look.ts";
import { backTool, scrollTool } from "./move.ts";
import { navigateTool } from "./navigate.ts";

export type BrowserWorld = Omit<BrowserDeps, "sessions" | "unavailable"> &
  Omit<ChromiumOptions, "executable"> & {
    /** From the settings; else it is looked for on PATH. */
    readonly executable?: string;
  };

/** Disposing closes all pages and ends the browser. */
export type BrowserTools = AsyncDisposable & { readonly tools: readonly Tool[] };

/** Nothing is started before the first page is opened. */
export function browserTools(world: BrowserWorld): BrowserTools {
  const found = findChromium(world.executable, world.env["PATH"]);
  const start =
    "missing" in found
      ? () => Promise.reject(new Error(found.missing))
      : () => startChromium({ ...world, executable: found.path });
  const sessions: BrowserSessions = browserSessions(start, world.clock);
  const missing = "missing" in found ? { unavailable: found.missing } : {};
  const deps: BrowserDeps = { ...world, ...missing, sessions };
  const make = [
    navigateTool,
    snapshotTool,
    clickTool,
    typeTool,
    pressTool,
    scrollTool,
    backTool,
    imagesTool,
    consoleTool,
    visionTool,
  ] as readonly ((deps: BrowserDeps) => unknown)[];
  return {
    tools: make.map((tool) => tool(deps) as Tool),
    [Symbol.asyncDispose]: () => sessions[Symbol.asyncDispose](),
  };
}
