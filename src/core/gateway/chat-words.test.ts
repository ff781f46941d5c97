import assert from "node:assert/strict";
import { test } from "node:test";
import { inChatWords } from "./chat-words.ts";

test("commands of the machine are named in a chat as they are typed there, where they can be", () => {
  const said: readonly (readonly [string, string])[] = [
    ['Make one: talaria cron add "every 2h" TEXT', 'Make one: /cron add "every 2h" TEXT'],
    ["`talaria kanban show t_1` has all of it.", "`/kanban show t_1` has all of it."],
    ["`talaria gateway resend obx_1` tries again.", "`/resend obx_1` tries again."],
    ["`talaria why run_1`", "`/why run_1`"],
    ["`talaria cron edit sch_1` changes it.", "`talaria cron edit sch_1` changes it."],
    ["`talaria gateway status` says more.", "`talaria gateway status` says more."],
  ];
  for (const [machine, chat] of said) assert.equal(inChatWords(machine), chat);
});
