import { eventStep } from "../../src/store/sqlite/event-schema.ts";
import type { LogMutant } from "./job.ts";

const itemLogged = "item_logged";

const trigger = eventStep.find((statement) => statement.includes(`TRIGGER ${itemLogged} `)) ?? "";

/** What is done to a sound schema. */
export const logMutants: Readonly<Record<LogMutant, readonly string[]>> = {
  "item-not-logged": [`DROP TRIGGER ${itemLogged}`],
  "item-logged-twice": [trigger.replace(itemLogged, `${itemLogged}_again`)],
};
