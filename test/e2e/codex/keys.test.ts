import { pinnedCodex } from "../../codex-schema/pinned-codex.ts";
import { bothModels, keysSuite } from "./keys.suite.ts";

keysSuite("the pinned codex", pinnedCodex(), "hides", bothModels);
