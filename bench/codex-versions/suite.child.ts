/** What codex owes as a runtime, on the codex of CODEX_BIN. Not for `npm test`: that has the pinned one already. */
import { env } from "node:process";
import { systemClock } from "../../src/lib/clock.ts";
import { findCodex } from "../../src/runtimes/codex/process/binary.ts";
import { realCodexSuite } from "../../src/runtimes/codex/codex.suite.ts";
import { codexToolsSuite } from "../../test/codex-tools/codex-tools.suite.ts";
import { hasAbility } from "../../src/runtimes/codex/process/version.ts";

const configured = env["CODEX_BIN"];
if (configured === undefined) throw new Error("CODEX_BIN does not say which codex to test.");
const { signal } = new AbortController();
const found = await findCodex({ configured, env: {}, ownRoot: "/", clock: systemClock, signal });
if ("code" in found) throw new Error(found.message);

const journal = hasAbility("wholeJournal", found.version) ? "whole" : "words";
realCodexSuite(`codex ${found.version}`, found, journal);
codexToolsSuite(`codex ${found.version}`, found.path, found.version);
