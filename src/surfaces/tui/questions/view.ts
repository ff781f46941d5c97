import type { Answered } from "../../../core/asking.ts";
import type { Pressed } from "./keys.ts";
import { fit, lastRows, painted, proseRows } from "./text.ts";
import type { Paint, Theme } from "../theme.ts";
import { visibleWidth } from "../toolkit.ts";

/** One question as a person sees it, and what their keys do to it. */
export interface QuestionView {
  /** One line that names it. */
  readonly name: string;
  render(frame: Frame): readonly string[];
  /** A function when the key answers. */
  press(key: Pressed): Answer | undefined;
  /** The answer had no effect, and can be given again. */
  failed(why: string): void;
  /** Forgets what was worked out for the screen. */
  invalidate(): void;
}

export type Answer = () => Promise<Answered>;

export type Frame = {
  readonly width: number;
  /** Of the whole terminal. */
  readonly rows: number;
  readonly theme: Theme;
  /** `1 of 3 · 12 s left` */
  readonly info: { readonly text: string; readonly paint: Paint };
  /** An answer is on its way. */
  readonly sent: boolean;
  readonly focused: boolean;
};

/** What stands under a question on the screen: what goes on, the prompt and the status. */
export const rowsBelow = 5;

export function headRows(title: string, { width, theme, info }: Frame): readonly string[] {
  const head = `╭ ${title}`;
  if (info.text === "") return [theme.strong(fit(head, width))];
  if (visibleWidth(head) + 2 + visibleWidth(info.text) <= width)
    return [`${theme.strong(head)}  ${info.paint(info.text)}`];
  return [theme.strong(fit(head, width)), ...painted(proseRows(info.text, width), info.paint)];
}

/** The last word: what went wrong, and what to press. Without a hint, what went wrong says that too. */
export function footRows(note: string, hint: string, { width, theme, sent }: Frame): readonly string[] {
  if (sent) return painted(lastRows("sent; waiting for what comes of it", width), theme.faint);
  if (hint === "") return painted(lastRows(note, width), theme.warn);
  const noteRows = note === "" ? [] : painted(proseRows(note, width), theme.warn);
  return [...noteRows, ...painted(lastRows(hint, width), theme.faint)];
}
