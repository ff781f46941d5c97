import { readFile } from "node:fs/promises";

/** Pages with pictures of the screen in them. */
export const capturedPages: readonly string[] = ["README.md", "docs/user/terminal.md"];

/** The page with each capture that it names as it was taken last: the tests of the screen take them. */
export async function withCaptures(page: string): Promise<string> {
  const marks = [...page.matchAll(/<!-- capture: ([\w-]+) -->/g)].map(([, name = ""]) => name);
  const texts = await Promise.all(
    marks.map((name) => readFile(new URL(`../docs/user/captures/${name}.txt`, import.meta.url), "utf8")),
  );
  return page.replaceAll(
    /(<!-- capture: [\w-]+ -->\n)(?:```text\n[^]*?\n```\n)?/g,
    (_all, mark: string) => `${mark}${texts.shift() ?? ""}`,
  );
}
