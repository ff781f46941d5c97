/** What the store does on the way from a message to its answer, as statements look. */
export const steps = {
  received: /^insert into "received"/,
  seen: /^insert into "seen_message"/,
  sealed: /^update "received" set .*"sealed_as"/,
  planned: /^insert into "chat_place"/,
  admitted: /^insert into "inbox"/,
  "noted as admitted": /^update "received" set .*"fate"/,
  begun: /^insert into "turn"/,
  "item kept": /^insert into "item"/,
  ended: /^update "turn" set .*"ended_at"/,
  "answer put out": /^insert into "outbox"/,
  cut: /^update "outbox" set "body"/,
  sending: /^update "outbox" set .*"attempts" =/,
  sent: /^update "outbox" set .*"platform_id" =/,
} as const satisfies Readonly<Record<string, RegExp>>;

export type Step = keyof typeof steps;

/** `committed`: right after the transaction that the statement is part of. `times`: at the so-many-th one. */
export type StepStrike = {
  readonly step: Step;
  readonly when: "before" | "after" | "committed";
  readonly times: number;
};

/** Calls back at the moment that is named, once. */
export function watchFor(
  { step, when, times }: StepStrike,
  strike: () => void,
): (sql: string, at: "before" | "after") => void {
  let left = times;
  let isAwaited = false;
  return (sql, at) => {
    if (isAwaited && sql === "commit" && at === "after") return strike();
    if (!steps[step].test(sql) || at === (when === "before" ? "after" : "before")) return;
    left -= 1;
    if (left !== 0) return;
    if (when !== "committed") return strike();
    isAwaited = true;
  };
}
