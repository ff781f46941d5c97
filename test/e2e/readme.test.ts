import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { talaria } from "./talaria.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** A command of the README with what it prints there. */
type Example = { readonly command: string; readonly printed: string };

test("every example of the README prints in a clean home what stands there", async () => {
  await using it = await talaria();
  const found = examplesIn(await readFile(`${root}/README.md`, "utf8"));
  assert.ok(found.length >= 12, `${found.length} examples`);
  let revision = "";
  for (const { command, printed } of found) {
    const line = command.replace(/^bin\/talaria /, '"$0" ').replace(/rev_\w+/, revision);
    const started = await it.shell(line, { cwd: root });
    started.closeInput();
    const { stdout, stderr } = await started.finished;
    revision = /rev_\w+/.exec(stdout)?.[0] ?? revision;
    assert.match(plain(`${stderr}\n${stdout}`), new RegExp(`^${pattern(plain(printed))}$`), command);
  }
});

const examplesIn = (page: string): readonly Example[] =>
  [...page.matchAll(/^```console\n([^]*?)^```/gm)].flatMap(([, block = ""]) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((text) => {
        const [command = "", ...printed] = text.split("\n");
        return { command, printed: printed.join("\n") };
      }),
  );

/** Without what differs from run to run and from machine to machine, and however wide the page is. */
const plain = (text: string): string =>
  text
    .replaceAll(/\b(ses|trn|rev)_[\w…]+/g, "$1_")
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d/g, "DATE")
    // Codex gives no duration to a command that was over at once.
    .replaceAll(/ done in \d+ m?s\b/g, " done")
    .replaceAll(/\d+ m?s\b/g, "TIME")
    .replaceAll("/home/ada/project", root.replace(/\/$/, ""))
    .replaceAll(/\s+/g, " ")
    .trim();

/** `…` stands for anything that is left out. */
const pattern = (printed: string): string =>
  printed
    .split("…")
    .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`))
    .join("[^]*");
