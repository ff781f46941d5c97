import { type CronNeeds, cronTools } from "./cron-tool.ts";
import { type DelegationNeeds, delegationTools } from "./delegation.ts";
import type { MoreTools } from "./tool-box.ts";

/** With these a turn leads to turns that nobody types. */
export const workTools = (needs: DelegationNeeds & CronNeeds): readonly MoreTools[] => [
  delegationTools(needs),
  cronTools(needs),
];
