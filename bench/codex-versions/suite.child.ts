/** What codex owes as a runtime, on the codex of CODEX_BIN. Not for `npm test`: that has the pinned one already. */
import { env } from "node:process";
import { systemClock } from "../../src/lib/clock.ts";
import { findCodex } from "../../src/runtimes/codex/process/binary.ts";
import { realCodexSuite } from "../../src/runtimes/codex/codex.suite.ts";
import { codexToolsSuite } from "../../test/codex-tools/codex-tools.suite.ts";
import { exactYesSuite } from "../../src/runtimes/codex/asking/exact-yes.suite.ts";
import { bothModels, keysSuite } from "../../test/e2e/codex/keys.suite.ts";
import { unaskedSuite } from "../../test/e2e/codex/unasked.suite.ts";
import { ownWills } from "../../test/fakes/willful-codex.ts";
import { hasAbility } from "../../src/runtimes/codex/process/version.ts";
import { compareVersions } from "./versions.ts";

const configured = env["CODEX_BIN"];
if (configured === undefined) throw new Error("CODEX_BIN does not say which codex to test.");
const { signal } = new AbortController();
const found = await findCodex({ configured, env: {}, ownRoot: "/", clock: systemClock, signal });
if ("code" in found) throw new Error(found.message);

const journal = hasAbility("wholeJournal", found.version) ? "whole" : "words";
realCodexSuite(`codex ${found.version}`, found, journal);
codexToolsSuite(`codex ${found.version}`, found.path, found.version);
// 0.150 knows no model that works by writing code; 0.166 does.
const isAtLeast = (version: string): boolean => compareVersions(found.version, version) >= 0;
const coded = isAtLeast("0.166.0");
exactYesSuite(`codex ${found.version}`, found, ["classic", coded ? "code" : "uncoded"]);
const hiding = hasAbility("profiles", found.version) ? "hides" : "cannot hide";
// The models that write code came with the version that keeps limits.
const models = hasAbility("keepsLimits", found.version) ? bothModels : bothModels.slice(0, 1);
keysSuite(`codex ${found.version}`, found, hiding, models);
unaskedSuite(`codex ${found.version}`, {
  binary: found.path,
  version: found.version,
  // The model that writes code is unknown to older ones, and is given tools like any other.
  models: coded ? ["gpt-5.5", "gpt-6.1-sol"] : ["gpt-5.5"],
  goals: isAtLeast("0.150.0"),
  settings: isAtLeast("0.150.0") ? [...ownWills.goals, ...ownWills.agents] : ownWills.oldAgents,
});
