import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

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
  const folders = (path ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  const found = names
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find((file) => isProgram(file));
  if (found !== undefined) return { path: found };
  return {
    missing:
      "Chromium is not installed; `apt install chromium`, or set browser.executable in config.yaml to where it is",
  };
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
