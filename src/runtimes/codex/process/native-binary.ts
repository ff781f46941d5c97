import {
  accessSync,
  closeSync,
  constants,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  statSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/**
 * The program behind npm's JavaScript wrapper: it starts fifteen times as fast, and there is no second process between
 * it and us. Anything else than that wrapper is returned as it is.
 */
export function nativeBinary(path: string): string {
  const real = realpathSync(path);
  if (!isScript(real)) return path;
  const root = dirname(dirname(real));
  if (packageName(root) !== "@openai/codex") return path;
  const triple = triples[`${process.platform}-${process.arch}`];
  if (triple === undefined) return path;
  for (const vendor of vendorFolders(real, root)) {
    for (const layout of layouts) {
      const native = join(vendor, triple, layout, "codex");
      if (isRunnable(native) === "yes") return native;
    }
  }
  return path; // its wrapper says best what is missing
}

const triples: Readonly<Record<string, string>> = {
  "linux-x64": "x86_64-unknown-linux-musl",
  "linux-arm64": "aarch64-unknown-linux-musl",
  "darwin-x64": "x86_64-apple-darwin",
  "darwin-arm64": "aarch64-apple-darwin",
};

/** Newer packages first. */
const layouts = ["bin", "codex"];

export function isScript(path: string): boolean {
  try {
    const file = openSync(path, "r");
    try {
      const start = Buffer.alloc(2);
      return readSync(file, start, 0, 2, 0) === 2 && start.toString("latin1") === "#!";
    } finally {
      closeSync(file);
    }
  } catch {
    return false; // a program that may be run need not be readable
  }
}

function packageName(root: string): unknown {
  try {
    return (JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { name?: unknown }).name;
  } catch {
    return undefined;
  }
}

function vendorFolders(wrapper: string, root: string): readonly string[] {
  const own = join(root, "vendor");
  try {
    const platform = `@openai/codex-${process.platform}-${process.arch}/package.json`;
    return [join(dirname(createRequire(wrapper).resolve(platform)), "vendor"), own];
  } catch {
    return [own];
  }
}

/** `folder` and `locked` are there, but cannot be run. */
export type Runnable = "yes" | "missing" | "folder" | "locked";

export function isRunnable(path: string): Runnable {
  try {
    if (statSync(path).isDirectory()) return "folder";
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EACCES" ? "locked" : "missing";
  }
  try {
    accessSync(path, constants.X_OK);
    return "yes";
  } catch {
    return "locked";
  }
}
