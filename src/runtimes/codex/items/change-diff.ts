import { boundedText } from "./seen-text.ts";
import type { Change } from "../wire/call-item.ts";

/** One unified text of all changes, as `git diff` would show them, masked and bounded. */
export const diffOf = (changes: readonly Change[], mask: (text: string) => string): string =>
  boundedText(mask(changes.map(changeDiff).join("")));

function changeDiff({ kind, path, movePath, diff }: Change): string {
  if (kind === "add") return `--- /dev/null\n+++ ${path}\n${wholeFile(diff, "+")}`;
  if (kind === "delete") return `--- ${path}\n+++ /dev/null\n${wholeFile(diff, "-")}`;
  return `--- ${path}\n+++ ${movePath ?? path}\n${withNewline(diff)}`;
}

/** Codex sends an added or deleted file as its content. */
function wholeFile(content: string, sign: "+" | "-"): string {
  if (content === "") return "";
  const lines = content.replace(/\n$/, "").split("\n");
  const hunk = sign === "+" ? `@@ -0,0 +1,${lines.length} @@` : `@@ -1,${lines.length} +0,0 @@`;
  return [hunk, ...lines.map((line) => sign + line), ""].join("\n");
}

const withNewline = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`);
