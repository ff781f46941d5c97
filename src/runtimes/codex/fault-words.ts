import { redactor } from "../../lib/redact/redact.ts";
import { cutEnd } from "../../tools/cut-middle.ts";

export type Redact = (text: string) => string;

/** Codex's own words on one line, fit to be shown: no colours, no secrets, no flood. */
export function plainWords(text: string, redact: Redact = redactor()): string {
  // Twice: a secret may go over several lines, and colours may stand within one.
  const clean = redact(redact(text).replaceAll(colours, "").replaceAll(/\s+/g, " ")).trim();
  const short = cutEnd(clean, longest);
  return short.length < clean.length ? `${short}…` : short;
}

// oxlint-disable-next-line no-control-regex -- terminal colours start with a control character
const colours = /\u001b\[[0-9;]*[A-Za-z]/g;
const longest = 500;

/** A step, with the way round codex where there is one. */
export const orLoop = (step: string, { loopRouteExists }: { readonly loopRouteExists: boolean }): string =>
  loopRouteExists ? `${step}, or let Talaria's own loop do it with \`/codex-runtime auto\`.` : `${step}.`;
