import { LogLevel, type Logger } from "@slack/web-api";
import type { ServeLog } from "../../../core/serving/door.ts";

/** What Slack's libraries say by themselves. Below a warning it is noise, and would hold the words of people. */
export const quietLogger = (log: ServeLog): Logger => {
  const tell = (...said: readonly unknown[]): void => log("slack says", { text: said.map(String).join(" ") });
  return {
    debug() {},
    info() {},
    warn: tell,
    error: tell,
    setLevel() {},
    setName() {},
    getLevel: () => LogLevel.WARN,
  };
};
