import { cleanLine, painted, fit, proseRows } from "./text.ts";
import { type Frame, footRows, headRows, rowsBelow } from "./view.ts";
import type { ScrollWindow } from "./window.ts";
import type { Input } from "../toolkit.ts";

export type FieldScreen = {
  readonly title: string;
  readonly label: string;
  /** `2 of 3` */
  readonly place: string;
  /** Is there a field before? */
  readonly back: boolean;
  readonly ownWords: boolean;
  readonly options: readonly string[];
  readonly chosen: number | undefined;
  readonly input: Input;
};

export function inquiryRows(
  field: FieldScreen,
  window: ScrollWindow,
  note: string,
  frame: Frame,
): readonly string[] {
  const { width, rows, theme } = frame;
  const head = headRows(field.place === "" ? "A question" : `A question, ${field.place}`, frame);
  const foot = footRows(note, hintOf(field), frame);
  const body = [...proseRows(field.title, width), ...painted(proseRows(field.label, width), theme.strong)];
  const part = window.part(body, Math.max(1, Math.floor(rows / 3)));
  const place = window.long ? [theme.accent(fit(`├ ${window.place} · PageUp PageDown`, width))] : [];
  const above = [...head, ...part, ...place];
  const room = rows - rowsBelow - above.length - foot.length;
  return [...above, ...(field.ownWords ? inputRows(field, frame) : optionRows(field, room, frame)), ...foot];
}

function hintOf({ ownWords, options, back }: FieldScreen): string {
  const how = ownWords ? "write, then Enter" : "press a number, then Enter";
  const other = options.length === 0 ? "" : ownWords ? " · Tab: the list" : " · Tab: in your own words";
  return `${how}${other}${back ? " · Shift+Tab: back" : ""} · Escape: no answer`;
}

const inputRows = ({ input }: FieldScreen, { width }: Frame): readonly string[] =>
  input.render(width).map((row) => fit(row, width));

/** As many as there is room for, the chosen one among them. */
function optionRows(
  { options, chosen }: FieldScreen,
  room: number,
  { width, theme }: Frame,
): readonly string[] {
  const each = options.map((option, index) => {
    const rows = proseRows(`${index === chosen ? "▸" : " "} ${index + 1} ${cleanLine(option)}`, width);
    return index === chosen ? painted(rows, (text) => theme.strong(theme.accent(text))) : rows;
  });
  const most = Math.max(2, room);
  if (each.flat().length <= most) return each.flat();
  const from = each.slice(0, chosen ?? 0).flat().length;
  const start = Math.max(0, Math.min(from - Math.floor(most / 2), each.flat().length - (most - 1)));
  const left = theme.faint(fit(`├ ${options.length} to choose from · ↑↓`, width));
  return [...each.flat().slice(start, start + most - 1), left];
}
