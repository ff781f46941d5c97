import type { TurndownNode, default as Turndown } from "turndown";
import { oneLine } from "../../core/plain-text.ts";

let made: Promise<Turndown> | undefined;

/** Markdown of a piece of HTML, with tables as tables and without what cannot be read. */
export async function markdown(html: string): Promise<string> {
  const turndown = await (made ??= makeTurndown());
  const text = html.trim() === "" ? "" : turndown.turndown(html);
  return text
    .replaceAll(/[^\S\n]+$/gm, "")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}

async function makeTurndown(): Promise<Turndown> {
  const { default: Maker } = await import("turndown");
  return new Maker({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-" })
    .remove(["script", "style", "noscript", "iframe", "object", "svg", "canvas", "template", "form"])
    .addRule("picture", { filter: ["img"], replacement: picture })
    .addRule("cell", { filter: ["th", "td"], replacement: cell })
    .addRule("row", { filter: ["tr"], replacement: row })
    .addRule("table", { filter: ["table"], replacement: (rows) => `\n\n${rows.trim()}\n\n` })
    .addRule("rows", { filter: ["thead", "tbody", "tfoot"], replacement: (rows) => rows });
}

/** A picture without words or without an address says nothing. */
function picture(_content: string, node: TurndownNode): string {
  const alt = oneLine(node.getAttribute("alt") ?? "");
  const address = node.getAttribute("src") ?? "";
  return alt === "" || address === "" ? "" : `![${alt.replaceAll(/[[\]]/g, "")}](${address})`;
}

const cell = (content: string): string =>
  ` ${content
    .replaceAll(/\s*\n\s*/g, " ")
    .replaceAll("|", "\\|")
    .trim()} |`;

function row(cells: string, node: TurndownNode): string {
  const border = isFirstRow(node) ? `|${" --- |".repeat(node.childElementCount)}\n` : "";
  return `|${cells.trimEnd()}\n${border}`;
}

function isFirstRow(node: TurndownNode): boolean {
  const parent = node.parentNode;
  return (
    parent?.firstElementChild === node &&
    (parent.nodeName === "TABLE" || parent.previousElementSibling === null)
  );
}
