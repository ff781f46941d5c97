import type { Clock } from "../../lib/clock.ts";
import { type ActivityState, activityLine } from "./activity-line.ts";
import { type BannerFacts, bannerLines } from "./banner.ts";
import { type StatusState, statusLine } from "./status-line.ts";
import type { Theme } from "./theme.ts";
import type { Component } from "./toolkit.ts";

/** The parts of the screen that only show facts. */
export type Panes = {
  readonly bannerPane: Component;
  readonly activityPane: Component;
  readonly statusPane: Component;
  banner(facts: BannerFacts): void;
  status(change: Partial<StatusState>): void;
  /** `undefined`: nothing goes on. */
  activity(state: Omit<ActivityState, "now"> | undefined): void;
};

export function panes(first: BannerFacts, theme: Theme, clock: Clock, repaint: () => void): Panes {
  let facts = first;
  let status: StatusState = { queued: 0, hint: "starting…" };
  let active: Omit<ActivityState, "now"> | undefined;
  return {
    bannerPane: linesOf((width) => bannerLines(facts, theme, width)),
    activityPane: linesOf((width) =>
      active === undefined ? [] : [activityLine({ ...active, now: clock.monotonic() }, theme, width)],
    ),
    statusPane: linesOf((width) => [statusLine(status, theme, width)]),
    banner(next) {
      facts = next;
      repaint();
    },
    status(change) {
      status = { ...status, ...change };
      repaint();
    },
    activity(state) {
      active = state;
      repaint();
    },
  };
}

/** Worked out anew with every frame. */
const linesOf = (lines: (width: number) => readonly string[]): Component => ({
  render: (width) => [...lines(width)],
  invalidate: () => {},
});
