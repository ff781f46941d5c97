import { pinnedCodex } from "../../codex-schema/pinned-codex.ts";
import { ownWills } from "../../fakes/willful-codex.ts";
import { unaskedSuite } from "./unasked.suite.ts";

unaskedSuite("codex", {
  binary: pinnedCodex(),
  version: "0.166.0",
  models: ["gpt-5.5", "gpt-6.1-sol"],
  goals: true,
  settings: [...ownWills.goals, ...ownWills.agents],
});
