import { pinnedCodex } from "../../../test/codex-schema/pinned-codex.ts";
import { realCodexSuite } from "./codex.suite.ts";

realCodexSuite("codex, the real one", { path: pinnedCodex(), version: "0.166.0" }, "whole");
