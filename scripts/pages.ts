import { readFile, writeFile } from "node:fs/promises";
import { commandsPage } from "../src/operations/text/page.ts";
import { capturedPages, withCaptures } from "./captured-pages.ts";
import { environmentPage } from "./environment-page.ts";
import { settingsPage } from "./settings-page.ts";

/** The pages that are made of tables in the program, by their place in the repository. */
export const pages: Readonly<Record<string, () => string>> = {
  "docs/user/commands.md": commandsPage,
  "docs/user/environment.md": environmentPage,
  "docs/user/settings.md": settingsPage,
};

if (import.meta.main) {
  for (const [path, page] of Object.entries(pages))
    await writeFile(new URL(`../${path}`, import.meta.url), page());
  for (const path of capturedPages) {
    const file = new URL(`../${path}`, import.meta.url);
    await writeFile(file, await withCaptures(await readFile(file, "utf8")));
  }
}
