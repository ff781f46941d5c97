import type { Answered, Answers, Form, InquiryState } from "../../../core/asking.ts";
import { clean } from "../../../core/plain-text.ts";
import { type FieldScreen, inquiryRows } from "./inquiry-rows.ts";
import { asPaste, isKey, pastedText, type Pressed } from "./keys.ts";
import { isDigit, selection, type Selection } from "./selection.ts";
import { cleanLine } from "./text.ts";
import type { Answer, QuestionView } from "./view.ts";
import { scrollWindow } from "./window.ts";
import { Input } from "../toolkit.ts";

/** A field while it is filled in. It is kept, so that going back finds it as it was left. */
type Filling = {
  readonly options: readonly string[];
  readonly list: Selection;
  readonly input: Input;
  ownWords: boolean;
};

/** The fields of a form, one after the other. Only a second Escape, or a second empty Enter, declines it. */
export function inquiryView(
  { form }: InquiryState,
  send: (answers: Answers | undefined) => Promise<Answered>,
): QuestionView {
  const fields = form.fields.length === 0 ? [confirming] : form.fields;
  const fillings = fields.map(filling);
  const window = scrollWindow();
  let at = 0;
  let note = "";
  let declining = false;

  const current = (): Filling => fillings[at] ?? filling(confirming);
  const go = (to: number): void => {
    at = Math.max(0, Math.min(to, fields.length - 1));
    window.reset();
  };
  const enter = (): Answer | undefined => {
    if (at + 1 < fields.length) return void go(at + 1);
    const given = form.fields.map(({ name }, index) => [name, valueOf(fillings[index])] as const);
    return () => send(Object.fromEntries(given));
  };
  const decline = (): Answer | undefined => {
    if (declining) return () => send(undefined);
    declining = true;
    note =
      "This answers nothing, and the turn goes on without it. The same key again does so, any other one stays.";
    return undefined;
  };
  const goOn = (key: Pressed): Answer | undefined => {
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
      return empty || isKey(key, "escape") ? decline() : goOn(key);
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
const confirming: Field = { name: "", label: "Is that all right?", options: ["yes, go on"] };

const filling = ({ options = [] }: Field): Filling => ({
  options,
  list: selection(),
  input: new Input({ prompt: "│ > " }),
  ownWords: options.length === 0,
});

function valueOf(field: Filling | undefined): string {
  if (field === undefined) return "";
  return field.ownWords ? field.input.getValue().trim() : (field.options[field.list.chosen ?? -1] ?? "");
}

const screenOf = (form: Form, fields: readonly Field[], at: number, field: Filling): FieldScreen => ({
  title: form.title,
  label: fields[at]?.label ?? "",
  place: fields.length > 1 ? `${at + 1} of ${fields.length}` : "",
  back: at > 0,
  ownWords: field.ownWords,
  options: field.options,
  chosen: field.list.chosen,
  input: field.input,
});

function fill(field: Filling, key: Pressed): void {
  const { list, options, input } = field;
  if (isKey(key, "tab") && options.length > 0) {
    field.ownWords = !field.ownWords;
    return;
  }
  if (field.ownWords) return write(input, key);
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
