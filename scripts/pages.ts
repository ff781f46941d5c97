import { readFile, writeFile } from "node:fs/promises";
import { authorizationMatrix } from "./who-may-call.ts";
import { operationsPage } from "./operations-page.ts";
import { commandsPage } from "./commands-page.ts";
import { capturedPages, withCaptures } from "./captured-pages.ts";
import { environmentPage } from "./environment-page.ts";
import { settingsPage } from "./settings-page.ts";
import { wholeSchemaFile } from "./whole-schema.ts";

/** What is made of tables in the program, by its place in the repository. */
export const pages: Readonly<Record<string, () => string>> = {
  "docs/user/commands.md": commandsPage,
  "docs/user/environment.md": environmentPage,
  "docs/user/operations.md": operationsPage,
  "docs/user/settings.md": settingsPage,
  "src/store/schema/whole-schema.ts": wholeSchemaFile,
  "test/fixtures/operations/who-may-call.txt": authorizationMatrix,
};

if (import.meta.main) {
  for (const [path, page] of Object.entries(pages))
    await writeFile(new URL(`../${path}`, import.meta.url), page());
  for (const path of capturedPages) {
    const file = new URL(`../${path}`, import.meta.url);
    await writeFile(file, await withCaptures(await readFile(file, "utf8")));
  }
}
