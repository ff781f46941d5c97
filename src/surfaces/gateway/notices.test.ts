import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { localOwner } from "../../core/principal.ts";
import { gatewayWorld, says } from "./gateway-world.suite.ts";

describe("work, as the owner's chat tells it", () => {
  for (const [notices, expected] of [
    ["all", ["Hello.", "Begun: the run of “plants”", "**plants**\n\nThey are watered."]],
    ["results", ["Hello.", "**plants**\n\nThey are watered."]],
    ["needs", ["Hello."]],
  ] as const)
    test(`with \`gateway.notices: ${notices}\``, async (t) => {
      const { app, host, cwd, model } = await gatewayWorld(t, {
        settings: `  notices: ${notices}`,
        steps: [says("Hello.", "hi"), says("They are watered.", "plants")],
      });
      await app.say("hi");
      await app.shows("c1", (all) => all.length === 1);
      const owner = host().as(localOwner("cli"));
      const wanted = { when: "every 2h", text: "Water the plants", name: "plants", cwd };
      const { id } = await owner.call("cron.add", wanted);
      await owner.call("cron.run", { id });
      await app.shows("c1", (all) => all.length === expected.length);
      while ((await owner.call("cron.runs", { limit: 1 }))[0]?.state !== "ran")
        await new Promise(setImmediate);
      assert.equal(model.requests.length, 2);
      assert.deepEqual(
        app.texts().map((text) => text.replace(/ due \d.*/, "")),
        expected,
      );
    });
});
