import type { TurndownNode, default as Turndown } from "turndown";
import { oneLine } from "../../core/plain-text.ts";

export type Page = { readonly title: string; readonly text: string };

/** Below this many characters, what was taken for the article is too little to be it. */
const shortArticle = 250;

/** The article of a page as markdown, or all of the page where there is no article. Links are absolute. */
export async function pageMarkdown(html: string, url: string): Promise<Page> {
  const { Readability } = await import("@mozilla/readability");
  const document = await prepared(html, url);
  const sentOn = refreshNote(document, url);
  const title = oneLine(document.title);
  const article = new Readability(document as never).parse();
  const isArticle = article !== null && (article.length ?? 0) >= shortArticle;
  const chosen = isArticle ? article.content : (await prepared(html, url)).body?.innerHTML;
  const text = await markdown(chosen ?? "");
  return { title: article?.title?.trim() || title, text: [sentOn, text].filter(Boolean).join("\n\n") };
}

/** Nobody sees what is hidden, so nobody reads it here either. */
async function prepared(html: string, url: string): Promise<PageDocument> {
  const document = await wholeDocument(html);
  const [base] = document.querySelectorAll("base[href]");
  const from = URL.parse(base?.getAttribute("href") ?? "", url)?.href ?? url;
  for (const link of document.querySelectorAll("a[href]")) makeAbsolute(link, "href", from);
  for (const picture of document.querySelectorAll("img[src]")) makeAbsolute(picture, "src", from);
  for (const hidden of document.querySelectorAll("[hidden], [aria-hidden='true'], template")) hidden.remove();
  for (const styled of document.querySelectorAll("[style]")) {
    if (hidingStyle.test(styled.getAttribute("style") ?? "")) styled.remove();
  }
  return document;
}

const hidingStyle =
  /display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?:[;\s]|px|$)|opacity\s*:\s*0(?:[;\s]|$)/i;

function makeAbsolute(element: PageElement, name: "href" | "src", base: string): void {
  const address = URL.parse(element.getAttribute(name) ?? "", base);
  if (address !== null && /^https?:$/.test(address.protocol)) return element.setAttribute(name, address.href);
  element.removeAttribute(name);
}

/** A page can send browsers on. That is said, not followed. */
function refreshNote(document: PageDocument, url: string): string {
  for (const meta of document.querySelectorAll("meta[http-equiv]")) {
    if (meta.getAttribute("http-equiv")?.toLowerCase() !== "refresh") continue;
    const target = /url\s*=\s*['"]?([^'"]+)/i.exec(meta.getAttribute("content") ?? "")?.[1];
    const address = URL.parse(target ?? "", url);
    if (address !== null && address.href !== url) return `[This page sends browsers on to ${address.href}]`;
  }
  return "";
}

/** The part of a document that is used here. */
type PageElement = {
  readonly localName: string;
  readonly innerHTML: string;
  readonly outerHTML: string;
  readonly children: Iterable<PageElement>;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  remove(): void;
};
type PageDocument = {
  readonly title: string;
  readonly documentElement: PageElement | null;
  readonly body: PageElement | null;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
};

/** The parser leaves out what HTML lets authors leave out, so a page without a head or a body is put together anew. */
async function wholeDocument(html: string): Promise<PageDocument> {
  const { parseHTML } = await import("linkedom");
  const parse = (text: string): PageDocument =>
    (parseHTML(text) as unknown as { readonly document: PageDocument }).document;
  const document = parse(html);
  const shape = [...(document.documentElement?.children ?? [])].map(({ localName }) => localName);
  if (document.documentElement?.localName === "html" && shape.join() === "head,body") return document;
  const loose = parse(`<html><div>${html}</div></html>`);
  const head = [...loose.querySelectorAll("title, meta, base")].map((element) => {
    element.remove();
    return element.outerHTML;
  });
  const body = loose.querySelector("body") ?? loose.querySelector("div");
  return parse(
    `<!doctype html><html><head>${head.join("")}</head><body>${body?.innerHTML ?? ""}</body></html>`,
  );
}

let made: Promise<Turndown> | undefined;

/** Markdown of a piece of HTML, with tables as tables and without what cannot be read. */
async function markdown(html: string): Promise<string> {
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
    .addRule("picture", { filter: ["img"], replacement: pictureText })
    .addRule("cell", { filter: ["th", "td"], replacement: cell })
    .addRule("row", { filter: ["tr"], replacement: row })
    .addRule("table", { filter: ["table"], replacement: (rows) => `\n\n${rows.trim()}\n\n` })
    .addRule("rows", { filter: ["thead", "tbody", "tfoot"], replacement: (rows) => rows });
}

/** A picture without words or without an address says nothing. */
function pictureText(_content: string, node: TurndownNode): string {
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
