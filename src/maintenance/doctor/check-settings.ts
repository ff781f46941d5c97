import { findingText } from "../../config/config.ts";
import type { ConfigWarning } from "../../config/config.ts";
import type { Facts } from "./facts.ts";
import { type Finding, type Probe, fine, note, wrong } from "./probe.ts";

/** config.yaml, .env and the variables of Talaria. */
export const settingsProbes = (facts: Facts): readonly Probe[] => [
  { name: "settings", look: async () => settingsChecks(facts) },
];

function settingsChecks({ settings, location }: Facts): readonly Finding[] {
  if ("fault" in settings) {
    const { message, next } = settings.fault;
    return message.split("\n").map((line) => wrong("settings", line, next));
  }
  // The modes of files have their own line.
  const warnings = settings.loaded.warnings.filter(({ message }) => !message.includes("chmod"));
  if (warnings.length > 0) return warnings.map(warned);
  return [fine("settings", location.paths.config)];
}

/** What this version does not have yet is no mistake; a key that nobody knows does not do what somebody wanted. */
function warned(warning: ConfigWarning): Finding {
  const later = warning.message === "has no effect in this version";
  const next = `Change or remove it in ${warning.file}.`;
  if (later) return note("settings", findingText(warning));
  if (warning.file === "environment")
    return wrong(
      "settings",
      findingText(warning),
      "Correct its name where it is set, in your shell's start-up file or script.",
    );
  return wrong("settings", findingText(warning), next);
}
