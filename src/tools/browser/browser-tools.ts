import { isProgram, programOnPath } from "../program-on-path.ts";
import type { Tool } from "../tool.ts";
import { clickTool, pressTool, typeTool } from "./act.ts";
import { type BrowserSessions, browserSessions } from "./browser-sessions.ts";
import { type ChromiumOptions, startChromium } from "./chromium.ts";
import type { BrowserDeps } from "./command.ts";
import { consoleTool, imagesTool, snapshotTool, visionTool } from "./look.ts";
import { backTool, scrollTool } from "./move.ts";
import { navigateTool } from "./navigate.ts";

export type BrowserOptions = Omit<BrowserDeps, "sessions" | "unavailable"> &
  Omit<ChromiumOptions, "executable"> & {
    /** From the settings; else it is looked for on PATH. */
    readonly executable?: string;
  };

/** Disposing closes all pages and ends the browser. */
export type BrowserTools = AsyncDisposable & { readonly tools: readonly Tool[] };

/** Nothing is started before the first page is opened. */
export function browserTools(options: BrowserOptions): BrowserTools {
  const found = findChromium(options.executable, options.env["PATH"]);
  const start =
    "missing" in found
      ? () => Promise.reject(new Error(found.missing))
      : () => startChromium({ ...options, executable: found.path });
  const sessions: BrowserSessions = browserSessions(start, options.clock);
  const missing = "missing" in found ? { unavailable: found.missing } : {};
  const deps: BrowserDeps = { ...options, ...missing, sessions };
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

export type Executable = { readonly path: string } | { readonly missing: string };

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** The Chromium of the settings, else the first one on PATH. `missing`: a sentence with what to do. */
export function findChromium(configured: string | undefined, path: string | undefined): Executable {
  if (configured !== undefined) {
    if (isProgram(configured)) return { path: configured };
    return {
      missing: `browser.executable is ${configured}, and there is no program; correct it in config.yaml, or remove it to use the Chromium on PATH`,
    };
  }
  const found = programOnPath(names, path);
  if (found !== undefined) return { path: found };
  return {
    missing:
      "Chromium is not installed; `apt install chromium`, or set browser.executable in config.yaml to where it is",
  };
}
