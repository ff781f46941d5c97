import type { TomlValue } from "./toml.ts";
import { hasAbility } from "./version.ts";

/**
 * Settings of every app-server that we start: what codex would do by itself is off, whatever the person's own settings
 * say. A turn of ours is all that happens on a thread: nothing goes on after its end, nothing is asked of a model that
 * is in no turn, and nobody but our approvals answers a question. For the whole process, because a thread that is loaded
 * takes no settings any more, and one that somebody forgot would have none.
 */
export const autonomyOff = (version: string): Readonly<Record<string, TomlValue>> => ({
  // Turns of its own for as long as a goal is open. One that an earlier process left open rests as well.
  "features.goals": false,
  // Threads of its own that outlive the turn. Our delegation is what people get.
  ...(hasAbility("agentsSwitch", version) ? { "agents.enabled": false } : {}),
  "features.multi_agent": false,
  "features.multi_agent_v2": false,
  "features.enable_fanout": false,
  // A memory beside ours, for which models are asked in the background.
  "features.memories": false,
  // A new context window at a wish of the model: it forgets the conversation, which we believe it knows.
  "features.token_budget": false,
  // Words and files that come as no item.
  "features.send_message_to_user_async": false,
  "features.multi_env_copy_file": false,
  // Else a model of codex's own says yes in the person's place.
  approvals_reviewer: "user",
});
