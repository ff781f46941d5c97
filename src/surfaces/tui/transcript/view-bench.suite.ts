import assert from "node:assert/strict";
import * as fc from "../../../../test/seeded.ts";
import type { Envelope, TurnEvent } from "../../../core/events.ts";
import { type TurnId, asId } from "../../../core/ids.ts";
import { makeTheme } from "../theme.ts";
import { visibleWidth } from "../toolkit.ts";
import { transcriptView } from "./view.ts";

/** A transcript without a terminal, on a clock that stands still, and how much was painted of it. */
export function viewBench({ width = 60 }: { readonly width?: number } = {}) {
  let now = 0;
  let paints = 0;
  let seq = 0;
  const theme = counting(makeTheme(true), () => (paints += 1));
  const view = transcriptView({ theme, reasoning: "fold", now: () => now });
  return {
    view,
    say: (event: TurnEvent, turn: TurnId = firstTurn) => view.event(envelope(event, turn, (seq += 1))),
    pass: (ms: number) => void (now += ms),
    lines: (at = width) => view.component.render(at).map(plain),
    raw: (at = width) => view.component.render(at),
    text: (at = width) => view.component.render(at).map(plain).join("\n"),
    /** How often something was given a colour during a frame. */
    painted(at = width) {
      paints = 0;
      view.component.render(at);
      return paints;
    },
  };
}

export const firstTurn: TurnId = asId("trn_first");

export const envelope = (event: TurnEvent, turn: TurnId, seq: number): Envelope => ({
  v: 1,
  seq,
  session: asId("ses_here"),
  turn,
  ...event,
});

/** As a person reads it. */
// oxlint-disable-next-line no-control-regex
export const plain = (line: string): string => line.replaceAll(/\u001B\[[\d;]*m/g, "");

/** Every row fits, and but for our own colours none steers the terminal. */
export function assertSafe(rows: readonly string[], width: number): void {
  for (const row of rows) {
    assert.ok(visibleWidth(row) <= width, `${visibleWidth(row)} > ${width}: ${JSON.stringify(row)}`);
    // oxlint-disable-next-line no-control-regex
    assert.doesNotMatch(plain(row), /[\u0000-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/);
    assert.ok(row.isWellFormed());
  }
}

/** Any text, torn surrogates among it, with more of what steers terminals than chance would give. */
export const anyText = (maxLength: number): fc.Arbitrary<string> =>
  fc
    .array(fc.oneof(fc.nat(0x9f), fc.nat(0xffff)), { maxLength })
    .map((codes) => String.fromCharCode(...codes));

type Tree = { readonly [name: string]: unknown };

function counting<T extends object>(theme: T, count: () => void): T {
  const entries = Object.entries(theme as Tree).map(([name, value]) => {
    if (typeof value === "function") return [name, counted(value as (text: string) => string, count)];
    return [name, typeof value === "object" && value !== null ? counting(value, count) : value];
  });
  return Object.fromEntries(entries) as T;
}

const counted =
  (paint: (text: string) => string, count: () => void) =>
  (text: string): string => {
    count();
    return paint(text);
  };
