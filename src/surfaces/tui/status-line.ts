import { soundCost } from "../../core/usage.ts";
import { cents, shortCount } from "./amounts.ts";
import { cut, shownLine } from "./transcript/shown-text.ts";
import type { Paint, Theme } from "./theme.ts";
import { visibleWidth } from "./toolkit.ts";

export type StatusState = {
  readonly model?: string | undefined;
  readonly runtime?: string | undefined;
  readonly codexVersion?: string | undefined;
  /** Tokens that the model was given last, of as many as it can read. */
  readonly context?: { readonly used: number; readonly window?: number } | undefined;
  /** USD, of the whole session. */
  readonly cost?: number | undefined;
  readonly queued: number;
  /** Everything is allowed. */
  readonly yolo?: boolean | undefined;
  readonly title?: string | undefined;
  readonly recording?: boolean | undefined;
  /** What the person should know just now. */
  readonly hint?: string | undefined;
};

/** `shorter`: said with less before it is left out. The part with the lowest rank goes first. */
type Part = {
  readonly text: string;
  readonly shorter?: string;
  readonly rank: number;
  readonly paint: Paint;
};

/** One line about the session. What matters least is left out first. */
export function statusLine(state: StatusState, theme: Theme, width: number): string {
  let parts = partsOf(state, theme);
  while (parts.length > 1 && widthOf(parts) > width) {
    const least = parts.reduce((low, part) => (part.rank < low.rank ? part : low));
    const { shorter, ...rest } = least;
    parts = parts.flatMap((part) => {
      if (part !== least) return [part];
      return shorter === undefined ? [] : [{ ...rest, text: shorter, rank: rest.rank + 0.5 }];
    });
  }
  return parts.map(({ text, paint }) => paint(cut(text, width))).join(theme.faint(" · "));
}

const widthOf = (parts: readonly Part[]): number =>
  parts.reduce((sum, { text }) => sum + visibleWidth(text) + 3, -3);

function partsOf(state: StatusState, theme: Theme): readonly Part[] {
  const { model, runtime, codexVersion, queued, yolo, title, recording, hint, context } = state;
  const cost = soundCost(state.cost);
  const version = runtime !== "codex" || codexVersion === undefined ? "" : ` ${shownLine(codexVersion)}`;
  return [
    ...words(hint, { rank: 9, paint: theme.strong }),
    ...words(model, { rank: 7, paint: theme.accent }),
    ...(runtime === undefined
      ? []
      : [
          {
            text: `${shownLine(runtime)}${version}`,
            shorter: shownLine(runtime),
            rank: 3,
            paint: theme.faint,
          },
        ]),
    ...(context === undefined ? [] : meter(context, theme)),
    ...(cost === undefined ? [] : [{ text: cents(cost), rank: 2, paint: theme.faint }]),
    ...(queued > 0 ? [{ text: `${queued} queued`, rank: 5, paint: theme.faint }] : []),
    ...(yolo === true
      ? [{ text: "yolo", rank: 8, paint: (text: string) => theme.strong(theme.warn(text)) }]
      : []),
    ...(recording === true ? [{ text: "● rec", rank: 6, paint: theme.bad }] : []),
    ...words(title, { rank: 1, paint: theme.faint }),
  ];
}

function words(text: string | undefined, style: Pick<Part, "rank" | "paint">): readonly Part[] {
  const shown = shownLine(text ?? "");
  return shown === "" ? [] : [{ text: shown, ...style }];
}

const cells = 6;

function meter({ used, window }: NonNullable<StatusState["context"]>, theme: Theme): readonly Part[] {
  if (!(used > 0)) return [];
  if (window === undefined || !(window > 0))
    return [{ text: `${shortCount(used)} tokens`, rank: 4, paint: theme.faint }];
  const percent = Math.floor((used / window) * 100);
  const full = Math.min(cells, Math.max(1, Math.round((used / window) * cells)));
  const bar = `▕${"█".repeat(full)}${"░".repeat(cells - full)}▏`;
  const text = `${bar} ${percent}% of ${shortCount(window)}`;
  return [{ text, shorter: `${percent}%`, rank: 4, paint: meterPaint(percent, theme) }];
}

function meterPaint(percent: number, theme: Theme): Paint {
  if (percent < 50) return theme.good;
  if (percent < 80) return theme.warn;
  return (text) => theme.strong(percent < 95 ? theme.warn(text) : theme.bad(text));
}
