import assert from "node:assert/strict";
import { mkdir, rename, rm, stat, symlink } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { type TestContext, describe, test } from "node:test";
import { once } from "node:events";
import { fakeClock } from "../../../test/fakes/fake-clock.ts";
import { testFolder } from "../../../test/temp-folder.ts";
import type { BehindDoor } from "../../core/serving/door.ts";
import { readServeFile } from "./place.ts";
import { openSocket } from "./server.ts";

/** A door with nothing behind it, its log, and what ended it. */
async function door(t: TestContext) {
  const home = join(await testFolder(t), "home");
  const run = join(home, "run");
  await mkdir(home);
  const clock = fakeClock();
  const said: string[] = [];
  const ended = Promise.withResolvers<void>();
  const behind = {
    host: { about: { home, run, variables: [] } },
    env: {},
    version: "1",
    log: (_event: string, fields: object) => said.push(JSON.stringify(fields)),
    end(why: string) {
      said.push(`ended: ${why}`);
      ended.resolve();
    },
  } as unknown as BehindDoor;
  const opened = await openSocket(behind, clock);
  t.after(() => opened[Symbol.asyncDispose]());
  /** It has looked once more, and done what it does then. */
  const look = async (): Promise<void> => {
    await clock.advance(2000);
    while (clock.pending() === 0) await setImmediate();
  };
  return { home, run, clock, said, opened, look, ended: ended.promise };
}

type Opened = Awaited<ReturnType<typeof door>>;

async function isFound({ run }: Opened): Promise<boolean> {
  const file = await readServeFile(run);
  const socket = connect(file?.socket ?? "");
  await once(socket, "connect");
  socket.destroy();
  return ((await stat(run)).mode & 0o777) === 0o700;
}

describe("a host whose socket was taken away", () => {
  const ways: Readonly<Record<string, (it: Opened) => Promise<void>>> = {
    "the folder": ({ run }) => rm(run, { recursive: true }),
    "the socket": ({ opened }) => rm(opened.address),
    "its file": ({ run }) => rm(join(run, "serve.json")),
    "the folder, which is elsewhere": ({ run, home }) => rename(run, join(home, "moved")),
  };
  for (const [what, take] of Object.entries(ways))
    test(`can be found again, and says so: ${what}`, async (t) => {
      const it = await door(t);
      await it.look();
      assert.deepEqual(it.said, [], "nothing was taken away");
      const inside = connect(it.opened.address);
      await once(inside, "connect");
      await take(it);
      await it.look();
      assert.ok(await isFound(it));
      assert.equal(inside.destroyed, false, "whoever is inside stays");
      inside.destroy();
      assert.match(it.said.join("\n"), /^\{"text":"\S+ was taken away\. It is there again\."\}$/);
    });

  test("says once why it cannot be made again, and makes it when it can", async (t) => {
    const it = await door(t);
    await rm(it.run, { recursive: true });
    await symlink("/nowhere", it.run);
    for (let times = 0; times < 5; times += 1) await it.look();
    assert.match(it.said.join("\n"), /^\{"text":"\S+ was taken away, and cannot .* a link to \/nowhere.*\}$/);
    await rm(it.run);
    await it.look();
    assert.ok(await isFound(it));
  });

  test("ends when its home is gone", async (t) => {
    const it = await door(t);
    await rm(it.home, { recursive: true });
    await it.clock.advance(2000);
    await it.ended;
    assert.match(it.said.join("\n"), /^ended: The home \S+ is not there any more\.$/);
    await assert.rejects(stat(it.home), "and is not made again");
  });
});
