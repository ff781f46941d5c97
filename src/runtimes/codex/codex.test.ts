import { pinnedCodex } from "../../../test/codex-schema/pinned-codex.ts";
import { realCodexSuite } from "./codex.suite.ts";

realCodexSuite("codex, the real one", pinnedCodex(), "whole");
