import { type CompleteCommand, type Completion, completion } from "./completion.ts";
import type { FileList } from "./file-list.ts";
import type { Theme } from "../theme.ts";
import { type Component, Editor, type Focusable, type TUI, matchesKey, truncateToWidth } from "../toolkit.ts";
import { isLongPaste, keysOf, typed } from "./typing.ts";

export type PromptOptions = {
  readonly tui: TUI;
  readonly theme: Theme;
  readonly cwd: string;
  readonly complete: CompleteCommand;
  readonly files: FileList;
  /** Never blank; what was pasted is in it whole. `isPasted`: more than a few words of it were not typed. */
  onSubmit(text: string, isPasted: boolean): void;
  /** The person wants to send the picture on the clipboard. */
  onImage(): void;
};

/** Where a person writes. */
export interface Prompt {
  readonly component: Component & Focusable;
  /** Earlier texts, newest first. To be told once; what was submitted meanwhile stays the newest. */
  history(texts: readonly string[]): void;
  /** The first that an arrow key brings back from now on. */
  remember(text: string): void;
  /** What is written, with what was pasted whole. */
  text(): string;
  setText(text: string): void;
  /** At the cursor. */
  insert(text: string): void;
  isEmpty(): boolean;
}

const escape = "\u001B";
/** Below this the editor has no room for a wide character beside its cursor. */
const narrowest = 8;

export function prompt(options: PromptOptions): Prompt {
  const { tui, theme, onSubmit } = options;
  const editor = new Editor(tui, theme.editor, { autocompleteMaxVisible: 8 });
  const list = completion(options);
  editor.setAutocompleteProvider(list.provider);
  const submitted: string[] = [];
  let isPasted = false;
  const note = (key: string): void => {
    if (editor.getText() === "") isPasted = false;
    isPasted ||= isLongPaste(key);
  };
  editor.onSubmit = (text) => {
    const submittedText = text.toWellFormed();
    if (submittedText === "") return;
    const copied = isPasted;
    isPasted = false;
    submitted.push(submittedText);
    editor.addToHistory(submittedText);
    onSubmit(submittedText, copied);
  };
  return {
    component: componentOf(editor, keysTo(editor, list, options, note)),
    history(texts) {
      for (const text of texts.toReversed()) editor.addToHistory(typed(text));
      for (const text of submitted) editor.addToHistory(text);
    },
    remember(text) {
      if (text !== "") editor.addToHistory(typed(text));
    },
    text: () => editor.getExpandedText(),
    setText(text) {
      editor.setText(typed(text));
      tui.requestRender();
    },
    insert(text) {
      editor.insertTextAtCursor(typed(text));
      tui.requestRender();
    },
    isEmpty: () => editor.getText() === "",
  };
}

function componentOf(editor: Editor, handleInput: (data: string) => void): Component & Focusable {
  return {
    get focused() {
      return editor.focused;
    },
    set focused(on) {
      editor.focused = on;
    },
    invalidate: () => editor.invalidate(),
    render: (width) => {
      if (width >= narrowest) return editor.render(width);
      return editor.render(narrowest).map((line) => truncateToWidth(line, width, ""));
    },
    handleInput,
  };
}

function keysTo(
  editor: Editor,
  list: Completion,
  { onImage }: Pick<PromptOptions, "onImage">,
  onKey: (key: string) => void,
): (data: string) => void {
  /** An arrow key was the last one, so the marked entry is what the person wants. */
  let chosen = false;

  /** Keys that would take an entry of a list which is not meant, or no longer fits, reach the text instead. */
  const closeList = (key: string): void => {
    const newLine = isNewLine(key);
    const enter = matchesKey(key, "enter");
    const fits = !newLine && list.isFor(editor.getText(), editor.getCursor());
    const meant = fits && (!enter || list.takesEnter(chosen));
    chosen = matchesKey(key, "up") || matchesKey(key, "down");
    if ((newLine || enter || matchesKey(key, "tab")) && !meant) editor.handleInput(escape);
  };

  return (data) => {
    const key = keysOf(data);
    if (key === undefined) return;
    onKey(key);
    if (matchesKey(key, "ctrl+v") || matchesKey(key, "alt+v")) return onImage();
    if (editor.isShowingAutocomplete()) closeList(key);
    editor.handleInput(isNewLine(key) ? "\n" : key);
  };
}

/** Backslash and Enter make one, too; the editor knows that itself. */
const isNewLine = (key: string): boolean =>
  key === "\n" ||
  (["alt+enter", "shift+enter", "ctrl+enter", "ctrl+j"] as const).some((each) => matchesKey(key, each));
