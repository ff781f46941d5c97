import type { BotIdentity } from "../../../core/gateway/chat.ts";
import { Refusal } from "../../../core/host.ts";
import { fieldsOf } from "../../../core/json.ts";
import type { Calls } from "./calls.ts";
import { tokenRefused } from "./fatal-close.ts";
import { isSnowflake } from "./snowflake.ts";

/** Whose token it is. Rejects with a Refusal. `elsewhere`: the API is not here; says whether there is another place to look. */
export async function identify(
  calls: Calls,
  signal: AbortSignal,
  elsewhere: () => boolean,
): Promise<BotIdentity> {
  const called = await calls({ method: "GET", route: "/users/@me" }, signal);
  if ("problem" in called) {
    const { problem } = called;
    const status = "status" in problem ? problem.status : undefined;
    if (status === 401) throw tokenRefused();
    if (status === 404 && elsewhere()) return identify(calls, signal, elsewhere);
    if (problem.kind === "held") {
      const seconds = Math.ceil(problem.ms / 1000);
      throw new Refusal("rate_limited", `Discord wants no calls for ${seconds} s.`, "Try again after that.");
    }
    throw new Refusal(
      "network",
      `Discord cannot be reached: ${problem.why}`,
      "Check the network, and gateway.discord.api if it is set; then try again.",
    );
  }
  const { id, username, global_name: shown } = fieldsOf(called.answer);
  if (!isSnowflake(id)) {
    throw new Refusal(
      "protocol",
      "What answered is not Discord's API.",
      "Check the setting gateway.discord.api: it is what comes before /v10, such as https://discord.com/api.",
    );
  }
  return { account: id, name: String(shown ?? username ?? id) };
}
