import type { Clock } from "../../lib/clock.ts";
import { isKey, type KeyName, pressed } from "./question-keys.ts";

/** Somebody who types does not see at once that there is something else to answer. */
const quietMs = 500;

/** These only look around or mean no, and none of them confirms anything. */
const harmless: readonly KeyName[] = ["escape", "up", "down", "pageUp", "pageDown", "ctrl+u", "ctrl+d"];

/** Tells keys that were typed before a question could be seen from those that are meant for it. */
export interface Quiet {
  /** Another question is to be shown. */
  begin(): void;
  /** It is on the screen. */
  painted(): void;
  /** Half a second on the screen, and as long without typing. */
  readonly over: boolean;
  takes(data: string): boolean;
}

export function quiet(clock: Clock): Quiet {
  let since: number | undefined;
  const isOver = (): boolean => since !== undefined && clock.monotonic() - since >= quietMs;
  return {
    begin: () => void (since = undefined),
    painted: () => void (since ??= clock.monotonic()),
    get over() {
      return isOver();
    },
    takes(data) {
      const key = pressed(data);
      if (key.kind === "release") return true;
      if (isKey(key, "ctrl+c")) return false;
      if (isOver() || isKey(key, ...harmless)) return true;
      if (since !== undefined) since = clock.monotonic();
      return false;
    },
  };
}
