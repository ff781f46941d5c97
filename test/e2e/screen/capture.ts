import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Screen } from "./screen.ts";

type CaptureOptions = {
  readonly where?: "screen" | "all";
  /** Where captures are kept. */
  readonly folder?: string;
  /** Whether to keep it; otherwise nothing happens. */
  readonly write?: boolean;
};

const captures = fileURLToPath(new URL("../../../docs/user/captures", import.meta.url));

/** Keeps what the screen shows for the documentation, when TALARIA_WRITE_CAPTURES=1 asks for it. */
export async function capture(
  name: string,
  screen: Pick<Screen, "text" | "all">,
  options: CaptureOptions = {},
): Promise<void> {
  const { where = "screen", folder = captures } = options;
  if (!(options.write ?? process.env["TALARIA_WRITE_CAPTURES"] === "1")) return;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${name}.txt`), fenced(where === "all" ? screen.all() : screen.text()));
}

/** As a block for Markdown, without what names this machine. Times are as they were. */
export function fenced(text: string): string {
  const same = changing.reduce(
    (said, [what, words]) => replaced(said, what, words),
    text.replace(/^\n+/, ""),
  );
  return `\`\`\`text\n${same}\n\`\`\`\n`;
}

/** In this order: what is inside something else comes later. */
const changing: readonly (readonly [RegExp, string])[] = [
  [/[^\s"'`(│]*\/talaria-e2e-\w{6}\/work\b/g, "~/project"],
  [/[^\s"'`(│]*\/talaria-e2e-\w{6}\b/g, "~"],
  [/~\/work\b/g, "~/project"],
  // It is broken at the edge of the screen.
  [/(?<=,)\n\/[\w/.@-]*node_modules\/@openai\/codex[\w/.@\n-]*?\/bin\/codex\b/g, " /usr/local/bin/codex"],
  [/\b(?:ses|trn|inb|apr|inq|grn|itm)_[0-9a-z]{10,}/g, "$id…"],
  [/\b(?:127\.0\.0\.1|localhost):\d+/g, "localhost:PORT"],
  [/[\u2801-\u28ff]/g, "⠋"],
];

/** What stands behind it stays in its column, as far as there is room. */
function replaced(text: string, what: RegExp, words: string): string {
  const withRoom = new RegExp(`(${what.source})( {2,}(?=\\S))?`, what.flags);
  return text.replaceAll(withRoom, (all: string, found: string, room?: string) => {
    const shown = words.replace("$id", found.slice(0, 4));
    return room === undefined ? shown : `${shown}  `.padEnd(all.length);
  });
}
