import type { Answered, Answers, Form, InquiryState } from "../../../core/asking.ts";
import { clean } from "../../../core/plain-text.ts";
import { Input } from "../toolkit.ts";
import { asPaste, isKey, pastedText, type Pressed } from "./keys.ts";
import { isDigit, selection, type Selection } from "./selection.ts";
import { cleanLine, painted, fit, proseRows } from "./text.ts";
import { type Answer, type QuestionView, type Frame, footRows, headRows, rowsBelow } from "./view.ts";
import { scrollWindow, type ScrollWindow } from "./window.ts";

/** A field while it is filled in. It is kept, so that going back finds it as it was left. */
type FieldState = {
  readonly options: readonly string[];
  readonly list: Selection;
  readonly input: Input;
  freeText: boolean;
};

/** The fields of a form, one after the other. Only a second Escape, or a second empty Enter, declines it. */
export function inquiryView(
  { form }: InquiryState,
  send: (answers: Answers | undefined) => Promise<Answered>,
): QuestionView {
  const fields = form.fields.length === 0 ? [confirmField] : form.fields;
  const states = fields.map(fieldState);
  const window = scrollWindow();
  let at = 0;
  let note = "";
  let declining = false;

  const current = (): FieldState => states[at] ?? fieldState(confirmField);
  const go = (to: number): void => {
    at = Math.max(0, Math.min(to, fields.length - 1));
    window.reset();
  };
  const enter = (): Answer | undefined => {
    if (at + 1 < fields.length) return void go(at + 1);
    const given = form.fields.map(({ name }, index) => [name, valueOf(states[index])] as const);
    return () => send(Object.fromEntries(given));
  };
  const decline = (): Answer | undefined => {
    if (declining) return () => send(undefined);
    declining = true;
    note =
      "This answers nothing, and the turn goes on without it. The same key again does so, any other one stays.";
    return undefined;
  };
  const handleKey = (key: Pressed): Answer | undefined => {
    declining = false;
    note = "";
    if (isKey(key, "enter")) return enter();
    if (isKey(key, "shift+tab")) return void go(at - 1);
    if (isKey(key, "pageUp", "pageDown")) return void window.scroll(key);
    fill(current(), key);
    return undefined;
  };
  return {
    name: cleanLine(form.title),
    render(frame) {
      current().input.focused = frame.focused;
      return inquiryRows(screenOf(form, fields, at, current()), window, note, frame);
    },
    press(key) {
      const empty = isKey(key, "enter") && valueOf(current()) === "";
      return empty || isKey(key, "escape") ? decline() : handleKey(key);
    },
    failed(why) {
      declining = false;
      note = cleanLine(why);
    },
    invalidate: () => {},
  };
}

type Field = Form["fields"][number];

/** A form without fields asks for a plain yes. */
const confirmField: Field = { name: "", label: "Is that all right?", options: ["yes, go on"] };

const fieldState = ({ options = [] }: Field): FieldState => ({
  options,
  list: selection(),
  input: new Input({ prompt: "│ > " }),
  freeText: options.length === 0,
});

function valueOf(field: FieldState | undefined): string {
  if (field === undefined) return "";
  return field.freeText ? field.input.getValue().trim() : (field.options[field.list.chosen ?? -1] ?? "");
}

const screenOf = (form: Form, fields: readonly Field[], at: number, field: FieldState): FieldScreen => ({
  title: form.title,
  label: fields[at]?.label ?? "",
  progress: fields.length > 1 ? `${at + 1} of ${fields.length}` : "",
  back: at > 0,
  freeText: field.freeText,
  options: field.options,
  chosen: field.list.chosen,
  input: field.input,
});

function fill(field: FieldState, key: Pressed): void {
  const { list, options, input } = field;
  if (isKey(key, "tab") && options.length > 0) {
    field.freeText = !field.freeText;
    return;
  }
  if (field.freeText) return write(input, key);
  const all = options.map((_, index) => index);
  if (isKey(key, "up", "left")) list.step(-1, all);
  if (isKey(key, "down", "right")) list.step(1, all);
  if (key.kind === "text")
    list.choose(isDigit(key.text) ? list.byDigit(key.text, options.length) : undefined);
}

/** Whatever was typed or pasted, nothing in the line can steer the screen. */
function write(input: Input, key: Pressed): void {
  if (key.kind === "release" || isKey(key, "ctrl+c")) return;
  input.handleInput(key.kind === "paste" ? asPaste(clean(pastedText(key.data))) : key.data);
  const value = input.getValue();
  if (clean(value) !== value) input.setValue(clean(value));
}

type FieldScreen = {
  readonly title: string;
  readonly label: string;
  /** `2 of 3` */
  readonly progress: string;
  /** Is there a field before? */
  readonly back: boolean;
  readonly freeText: boolean;
  readonly options: readonly string[];
  readonly chosen: number | undefined;
  readonly input: Input;
};

function inquiryRows(
  field: FieldScreen,
  window: ScrollWindow,
  note: string,
  frame: Frame,
): readonly string[] {
  const { width, rows, theme } = frame;
  const head = headRows(field.progress === "" ? "A question" : `A question, ${field.progress}`, frame);
  const foot = footRows(note, hintOf(field), frame);
  const body = [...proseRows(field.title, width), ...painted(proseRows(field.label, width), theme.strong)];
  const part = window.part(body, Math.max(1, Math.floor(rows / 3)));
  const position = window.long ? [theme.accent(fit(`├ ${window.position} · PageUp PageDown`, width))] : [];
  const above = [...head, ...part, ...position];
  const room = rows - rowsBelow - above.length - foot.length;
  return [...above, ...(field.freeText ? inputRows(field, frame) : optionRows(field, room, frame)), ...foot];
}

function hintOf({ freeText, options, back }: FieldScreen): string {
  const how = freeText ? "write, then Enter" : "press a number, then Enter";
  const other = options.length === 0 ? "" : freeText ? " · Tab: the list" : " · Tab: in your own words";
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
  const countRow = theme.faint(fit(`├ ${options.length} to choose from · ↑↓`, width));
  return [...each.flat().slice(start, start + most - 1), countRow];
}
