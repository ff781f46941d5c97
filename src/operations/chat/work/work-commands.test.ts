import assert from "node:assert/strict";
import { test } from "node:test";
import { call, fakeHost, say } from "../fake-host.suite.ts";

test("/cron add takes its options from behind the text, and leaves all other words to it", async () => {
  const asked: unknown[] = [];
  const host = fakeHost({
    over: {
      "cron.add": async (wanted: unknown) => {
        asked.push(wanted);
        throw new Error("enough");
      },
    },
  });
  await say('/cron add "every 2h" Look at --all mail --deliver notify --name "my mail"', host, call);
  await say("/cron add in30m Look --zone Europe/Berlin", host, call);
  assert.partialDeepStrictEqual(asked, [
    { when: "every 2h", text: "Look at --all mail", deliver: "notify", name: "my mail" },
    { when: "in30m", text: "Look", zone: "Europe/Berlin" },
  ]);
});
