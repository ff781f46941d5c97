import { oneLine } from "../../core/plain-text.ts";
import { cutEnd } from "../cut-middle.ts";

export type OutlineOptions = {
  /** All that stands on the page, not only what can be acted on. */
  readonly full: boolean;
  readonly maxChars: number;
  /** Address of the page, to make links whole. */
  readonly base: string;
  /** What stands in password fields. */
  readonly passwords?: ReadonlySet<string>;
};

type Node = {
  readonly role: string;
  readonly name: string;
  readonly text: string;
  readonly ref: string;
  readonly url: string;
  readonly marks: readonly string[];
  readonly clickable: boolean;
  readonly children: readonly (Node | string)[];
};

const longestText = 300;
const longestUrl = 1_000;

/** The page as lines: what something is, its name, and `@e1` for what can be acted on. */
export function outline(tree: unknown, options: OutlineOptions): string {
  const { full, maxChars, base, passwords = new Set() } = options;
  const roots = nodesOf(tree, passwords);
  const lines = roots.flatMap((node) => (full ? allLines(node, 0, base) : actingLines(node, 0, base)));
  if (lines.length === 0) return full ? "(the page is empty)" : "(nothing on this page can be acted on)";
  return capped(lines, maxChars, full);
}

function capped(lines: readonly string[], maxChars: number, full: boolean): string {
  let size = 0;
  const end = lines.findIndex(({ length }) => (size += length + 1) > maxChars);
  if (end === -1) return lines.join("\n");
  const shown = lines.slice(0, Math.max(end, 1)).map((text) => cutEnd(text, maxChars));
  const more = full ? "" : " browser_snapshot may show more.";
  return [...shown, `(${lines.length - shown.length} more lines were left out.${more})`].join("\n");
}

function allLines(node: Node | string, depth: number, base: string): readonly string[] {
  if (typeof node === "string") return [`${indent(depth)}- text: ${short(node)}`];
  const inner = baseIn(node, base);
  const below = node.children.flatMap((child) => allLines(child, depth + 1, inner));
  const isWrapper = node.role === "generic" && node.name === "" && node.text === "" && !node.clickable;
  if (isWrapper) return node.children.flatMap((child) => allLines(child, depth, base));
  return [`${indent(depth)}${line(node, node.name, base, true)}`, ...below];
}

/** What can be acted on, and the few things that say where one is. */
function actingLines(node: Node | string, depth: number, base: string): readonly string[] {
  if (typeof node === "string") return [];
  const acts = node.clickable || actingRoles.has(node.role);
  const shown = acts || placeRoles.has(node.role);
  const inner = baseIn(node, base);
  const below = node.children.flatMap((child) => actingLines(child, shown ? depth + 1 : depth, inner));
  if (!shown) return below;
  const isBare = node.name === "" && node.text === "" && node.role !== "iframe";
  const name = isBare ? textIn(node) : node.name;
  return [`${indent(depth)}${line(node, name, base, acts)}`, ...below];
}

/** A frame has an address of its own that we do not know: its links stay as they are written. */
const baseIn = (node: Node, base: string): string => (node.role === "iframe" ? "" : base);

const actingRoles = new Set(
  "button checkbox combobox link listbox menuitem menuitemcheckbox menuitemradio option radio searchbox slider spinbutton switch tab textbox treeitem".split(
    " ",
  ),
);

const placeRoles = new Set(["alert", "alertdialog", "dialog", "heading", "iframe", "status"]);

function line(node: Node, name: string, base: string, withRef: boolean): string {
  const parts = [
    `- ${node.role}`,
    name === "" ? "" : JSON.stringify(short(name)),
    withRef && node.ref !== "" ? `@${node.ref}` : "",
    ...node.marks,
    node.url === "" ? "" : `-> ${cutEnd(URL.parse(node.url, base)?.href ?? node.url, longestUrl)}`,
  ];
  const text = node.text === "" || node.text === name ? "" : `: ${short(node.text)}`;
  return `${parts.filter((part) => part !== "").join(" ")}${text}`;
}

const indent = (depth: number): string => "  ".repeat(Math.min(depth, 20));

const short = (text: string): string => cutEnd(oneLine(text), longestText);

function textIn(node: Node): string {
  const inner = node.children.map((child) =>
    typeof child === "string" ? child : child.name || child.text || textIn(child),
  );
  return cutEnd(inner.filter((text) => text !== "").join(" "), longestText);
}

function nodesOf(tree: unknown, passwords: ReadonlySet<string>): readonly (Node | string)[] {
  if (!Array.isArray(tree)) return [];
  return tree.flatMap((entry: unknown): readonly (Node | string)[] => {
    if (typeof entry === "string") return entry.trim() === "" || passwords.has(entry) ? [] : [entry];
    return isRecord(entry) ? [nodeOf(entry, passwords)] : [];
  });
}

function nodeOf(entry: Readonly<Record<string, unknown>>, passwords: ReadonlySet<string>): Node {
  const word = (key: string): string => {
    const value = entry[key];
    return typeof value === "string" ? value : "";
  };
  return {
    role: word("role") || "generic",
    name: word("name"),
    text: passwords.has(word("text")) ? "(hidden)" : word("text"),
    ref: word("ref"),
    url: word("url"),
    clickable: entry["cursor"] === "pointer",
    marks: markNames.flatMap((key) => markOf(key, entry[key])),
    children: nodesOf(entry["children"], passwords),
  };
}

const markNames = [
  "level",
  "checked",
  "disabled",
  "expanded",
  "active",
  "invalid",
  "pressed",
  "selected",
  "placeholder",
];

function markOf(key: string, value: unknown): readonly string[] {
  if (value === undefined || value === false || value === null) return [];
  if (value === true) return [`[${key}]`];
  return typeof value === "string" || typeof value === "number" ? [`[${key}=${short(String(value))}]`] : [];
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;
