import { pinnedCodex } from "../../../../test/codex-schema/pinned-codex.ts";
import { exactYesSuite } from "./exact-yes.suite.ts";

exactYesSuite("the pinned codex", { path: pinnedCodex(), version: "0.166.0" }, ["classic", "code"]);
