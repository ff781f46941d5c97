import { pinnedCodex } from "../../codex-schema/pinned-codex.ts";
import { bothModels, keysSuite } from "./keys.suite.ts";

keysSuite("the pinned codex", { path: pinnedCodex(), version: "0.166.0" }, "hides", bothModels);
