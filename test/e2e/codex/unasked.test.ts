import { pinnedCodex } from "../../codex-schema/pinned-codex.ts";
import { unaskedSuite } from "./unasked.suite.ts";

unaskedSuite("codex", {
  binary: pinnedCodex(),
  models: ["gpt-5.5", "gpt-6.1-sol"],
  goals: true,
  helpers: false,
  settings: [
    "features.goals=true",
    "agents.enabled=true",
    "features.multi_agent=true",
    "features.multi_agent_v2=true",
  ],
});
