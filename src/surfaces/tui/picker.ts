import type { Choosing } from "../../core/chat-state.ts";
import { short } from "../../core/plain-text.ts";
import { bestOf } from "./input/fuzzy.ts";
import type { Theme } from "./theme.ts";
import {
  type Component,
  type Focusable,
  Input,
  matchesKey,
  truncateToWidth,
  visibleWidth,
} from "./toolkit.ts";
import { keysOf } from "./input/typing.ts";

type PickerOptions = {
  readonly theme: Theme;
  readonly choosing: Choosing;
  /** Of the terminal. */
  rows(): number;
  onPick(value: string): void;
  onCancel(): void;
};

type Entry = { readonly value: string; readonly label: string; readonly detail: string };

/** Title, filter, hint, and what stands around the list. */
const rowsAround = 6;

/** A list to choose from. Typing filters it. */
export function picker({ theme, choosing, rows, onPick, onCancel }: PickerOptions): Component & Focusable {
  const all = entriesOf(choosing);
  const input = new Input();
  let entries = all;
  let marked = 0;
  const page = (): number => Math.max(1, rows() - rowsAround);

  const filter = (): void => {
    entries = bestOf(input.getValue(), all, ({ label, detail }) => `${label} ${detail}`);
    marked = 0;
  };

  return {
    get focused() {
      return input.focused;
    },
    set focused(on) {
      input.focused = on;
    },
    invalidate: () => input.invalidate(),
    handleInput(data) {
      const key = keysOf(data);
      if (key === undefined) return;
      if (matchesKey(key, "escape") || matchesKey(key, "ctrl+c")) return onCancel();
      const step = stepOf(key, page());
      if (step !== 0) return void (marked = movedBy(marked, step, entries.length - 1));
      const entry = entries[marked];
      if (matchesKey(key, "enter")) return entry === undefined ? undefined : onPick(entry.value);
      const before = input.getValue();
      input.handleInput(key);
      if (input.getValue() !== before) filter();
    },
    render: (width) => {
      const count = entries.length === all.length ? `${all.length}` : `${entries.length} of ${all.length}`;
      const title = `${theme.strong(short(choosing.title, 200))} ${theme.faint(`(${count})`)}`;
      const first = Math.max(0, Math.min(marked - Math.floor(page() / 2), entries.length - page()));
      const column = columnOf(all, width);
      const list = entries
        .slice(first, first + page())
        .map((entry, at) => rowOf(entry, first + at === marked, column, theme));
      const none = entries.length === 0 ? [theme.faint(nothing(all, input.getValue()))] : [];
      const hint = theme.faint("type to filter · ↑↓ move · Enter choose · Esc cancel");
      return [title, ...input.render(width), ...list, ...none, hint].map((line) =>
        truncateToWidth(line, width, "…"),
      );
    },
  };
}

const entriesOf = ({ options }: Choosing): readonly Entry[] =>
  options.map(({ value, label, detail = "" }) => ({
    value,
    label: short(label, 200),
    detail: short(detail, 200),
  }));

function stepOf(key: string, page: number): number {
  if (matchesKey(key, "up") || matchesKey(key, "ctrl+p")) return -1;
  if (matchesKey(key, "down") || matchesKey(key, "ctrl+n")) return 1;
  if (matchesKey(key, "pageUp")) return -page;
  return matchesKey(key, "pageDown") ? page : 0;
}

/** From an end, a step leads to the other one. A page stops there first. */
function movedBy(from: number, step: number, last: number): number {
  if (from === 0 && step < 0) return Math.max(0, last);
  if (from === last && step > 0) return 0;
  return Math.max(0, Math.min(last, from + step));
}

/** As wide as the longest label needs, but never so wide that no detail has room. */
const columnOf = (all: readonly Entry[], width: number): number =>
  Math.min(
    Math.floor(width * 0.6),
    all.reduce((most, { label }) => Math.max(most, visibleWidth(label)), 0),
  );

function rowOf({ label, detail }: Entry, isMarked: boolean, column: number, theme: Theme): string {
  const name = detail === "" ? label : truncateToWidth(label, column, "…", true);
  const sign = isMarked ? theme.select.selectedPrefix("→ ") : "  ";
  const text = isMarked ? theme.select.selectedText(name) : name;
  return detail === "" ? sign + text : `${sign}${text}  ${theme.faint(detail)}`;
}

const nothing = (all: readonly Entry[], words: string): string =>
  all.length === 0 ? "There is nothing to choose from." : `Nothing matches “${short(words, 60)}”.`;
