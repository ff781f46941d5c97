import type { ContextBill } from "../../core/context-bill.ts";
import { tokensText } from "../../core/usage.ts";
import { columns } from "./columns.ts";
import { short } from "../../core/plain-text.ts";

/** What a model is given, as a table, and how much of its window that is. */
export function contextText({ runtime, lines, used, window, beyond }: ContextBill): string {
  const total = lines.reduce((sum, { tokens }) => sum + tokens, 0);
  const rows = [
    ["part", "about tokens", ""],
    ...lines.map(({ name, detail, tokens }) => [short(name, 30), tokensText(tokens), short(detail, 80)]),
    ["total", tokensText(total), `on the runtime ${runtime}`],
  ];
  return [
    columns(rows, (column) => column === 1).replaceAll(/ +$/gm, ""),
    ...(used === undefined ? ["Nothing was counted by the provider yet."] : [usedText(used, window)]),
    ...(beyond === undefined ? [] : [short(beyond, 500)]),
  ].join("\n");
}

function usedText(used: number, window: number | undefined): string {
  if (window === undefined || window <= 0)
    return `The last turn used ${tokensText(used)} tokens; how many fit is not known.`;
  const share = used / window;
  return `${meter(share)} ${Math.round(share * 100)} %: the last turn used ${tokensText(used)} of ${tokensText(window)} tokens`;
}

const cells = 20;

function meter(share: number): string {
  const full = Math.min(cells, Math.max(0, Math.round(share * cells)));
  return `[${"█".repeat(full)}${"░".repeat(cells - full)}]`;
}
