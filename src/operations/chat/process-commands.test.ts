import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { call, fakeHost, say } from "./fake-host.suite.ts";

const running = [
  { id: "p1", command: "npm run dev", since: 60_000 },
  { id: "4711", command: "tail -f log", since: 120_000 },
];

const on = (line: string, ended = running) =>
  say(
    line,
    fakeHost({ over: { "processes.list": async () => running, "processes.end": async () => ended } }),
    call,
  );

describe("/ps", () => {
  test("lists what turns have left running, with its ids", async () => {
    assert.match(
      (await on("/ps")).text,
      /^p1 +\S+.*npm run dev\n4711 +\S+.*tail -f log\n\/ps stop ends it\.$/,
    );
    assert.equal((await say("/ps")).text, "Nothing that a turn started is still running.");
  });

  test("ends one or all, and says what could not be ended", async () => {
    assert.equal((await on("/ps stop p1", running.slice(0, 1))).text, "Ended: npm run dev");
    assert.equal((await on("/ps stop")).text, "Ended: npm run dev\nEnded: tail -f log");
    assert.match((await on("/ps stop all", [])).text, /Could not be ended: npm run dev\. It ends when/);
    assert.equal((await on("/ps stop p9")).text, "Nothing runs as p9. There is: p1, 4711.");
    assert.match((await on("/ps start")).text, /takes nothing, stop, or stop and an id/);
  });
});
