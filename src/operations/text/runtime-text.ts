import type { Fault } from "../../core/faults.ts";
import type { Readiness } from "../../core/host.ts";

/** Why turns cannot run there, and that everything is as it was. */
export const notReadyText = ({ message, next }: Fault): string =>
  `${message} Nothing was changed.\n→ ${next}`;

/** What is to be known of a runtime that can be used. */
export const readyLines = ({ detail, warning }: Extract<Readiness, { ok: true }>): readonly string[] => [
  ...(detail === "" ? [] : [detail]),
  ...(warning === undefined ? [] : [`Warning: ${warning}`]),
];

/** The same, and what a runtime lacks that was switched to all the same. */
export const nextTurnLines = (ready: Readiness): readonly string[] =>
  ready.ok
    ? readyLines(ready)
    : [`But it cannot run turns now: ${ready.fault.message}`, `→ ${ready.fault.next}`];
