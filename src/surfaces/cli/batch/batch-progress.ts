import { clean, oneLine, short } from "../../../core/plain-text.ts";
import { tokensText, usdText } from "../../../core/usage.ts";
import type { CliPorts } from "../ports.ts";
import type { Written } from "./results-file.ts";

/** How far a batch is. */
export type BatchProgress = {
  begun(): void;
  ended(result: Written): void;
  /** Takes the bar away. */
  clear(): void;
  /** How many of each. */
  readonly counts: ReadonlyMap<Written["status"], number>;
};

const eraseLine = "\r\u001b[2K";
const width = 24;

/** A bar at the bottom of a terminal, and a line for each result elsewhere; with `json` what programs read. */
export function batchProgress(
  { stdout, stderr, env }: Pick<CliPorts, "stdout" | "stderr" | "env">,
  {
    total,
    json,
    before,
  }: { readonly total: number; readonly json: boolean; readonly before: readonly Written[] },
): BatchProgress {
  const counts = new Map<Written["status"], number>();
  let [ended, running, tokens, usd] = [0, 0, 0, 0];
  const count = ({ status, usage, cost = 0 }: Written): void => {
    counts.set(status, (counts.get(status) ?? 0) + 1);
    ended += 1;
    tokens += usage.input + usage.output;
    usd += cost;
  };
  for (const row of before) count(row);
  const isBar = stderr.isTTY === true && env["TERM"] !== "dumb";
  const draw = (): void => {
    if (!isBar) return;
    const full = Math.round((ended / total) * width);
    const bad = ended - (counts.get("done") ?? 0);
    const parts = [
      `${ended}/${total}`,
      ...(bad === 0 ? [] : [`${bad} not well`]),
      `${running} under way`,
      `${tokensText(tokens)} tokens`,
      ...(usd === 0 ? [] : [`${usdText(usd)} USD`]),
    ];
    stderr.write(`${eraseLine}[${"#".repeat(full)}${".".repeat(width - full)}] ${parts.join(" · ")}`);
  };
  const say = (row: Written): void => {
    if (json) stdout.write(`${JSON.stringify(row)}\n`);
    else if (!isBar) stdout.write(`${ended}/${total} ${resultLine(row)}\n`);
  };
  return {
    begun() {
      running += 1;
      draw();
    },
    ended(row) {
      running -= 1;
      count(row);
      if (isBar && json) stderr.write(eraseLine);
      say(row);
      draw();
    },
    clear: () => void (isBar && stderr.write(eraseLine)),
    counts,
  };
}

function resultLine({ line, id, status, error, usage }: Written): string {
  const name = id === undefined ? `line ${line}` : `line ${line} (${short(oneLine(clean(id)), 40)})`;
  if (error !== undefined) return `${name}: ${status}: ${short(oneLine(clean(error)), 200)}`;
  return `${name}: ${status}, ${tokensText(usage.input + usage.output)} tokens`;
}
