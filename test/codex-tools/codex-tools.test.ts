import { pinnedCodex } from "../codex-schema/pinned-codex.ts";
import { codexToolsSuite } from "./codex-tools.suite.ts";

codexToolsSuite("the pinned codex", pinnedCodex(), "0.166.0");
