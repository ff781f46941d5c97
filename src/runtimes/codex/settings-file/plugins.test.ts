import assert from "node:assert/strict";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { pinnedCodex } from "../../../../test/codex-schema/pinned-codex.ts";
import { type Clock, systemClock } from "../../../lib/clock.ts";
import { realPlace } from "../real-codex.suite.ts";
import { installedPlugins, pluginsIn } from "./plugins.ts";

test("only plugins that are installed and available are named, with their market place", () => {
  const plugin = { installed: true, enabled: true, availability: "AVAILABLE" };
  const reply = {
    marketplaces: [
      {
        name: "shop",
        plugins: [
          { ...plugin, name: "on" },
          { ...plugin, name: "off", enabled: false },
          { ...plugin, name: "elsewhere", installed: false },
          { ...plugin, name: "forbidden", availability: "DISABLED_BY_ADMIN" },
        ],
      },
      { name: "old", plugins: [{ name: "quiet", installed: true, enabled: true }] },
      { name: "odd", plugins: null },
    ],
  };
  assert.deepEqual(
    [...pluginsIn(reply)],
    [
      ["on@shop", true],
      ["off@shop", false],
      ["quiet@old", true],
    ],
  );
  for (const nonsense of [undefined, 3, { marketplaces: "x" }]) assert.equal(pluginsIn(nonsense).size, 0);
});

const nobody = { add: async () => {}, remove: async () => {} };

test("the real codex is asked, and is gone afterwards", async () => {
  await using fixture = await realPlace(pinnedCodex());
  const source = { launch: fixture.launch(), clock: systemClock, processes: nobody, version: "0" };
  assert.deepEqual([...(await installedPlugins(source))], []);
});

test("one that never answers is given up and ended", async () => {
  await using fixture = await realPlace(pinnedCodex());
  const command = join(fixture.work, "codex");
  await writeFile(command, "#!/bin/sh\nexec sleep 600\n");
  await chmod(command, 0o755);
  const hasty: Clock = { ...systemClock, sleep: (ms, ...rest) => systemClock.sleep(ms / 50, ...rest) };
  const launch = { ...fixture.launch(), command };
  const asked = installedPlugins({ launch, clock: hasty, processes: nobody, version: "0" });
  await assert.rejects(asked, /did not answer within 8 seconds/);
});
