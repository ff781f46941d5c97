import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Refusal } from "../../core/host.ts";
import { call, failing, fakeHost, noSession, say } from "./fake-host.suite.ts";

describe("/record", () => {
  const onCodex = fakeHost({ status: { runtime: "codex" } });
  const recording = { ...call, choices: { record: true } };

  test("says whether it is on and where the files go", async () => {
    assert.equal(
      (await say("/record", onCodex)).text,
      "Recording is off. Files go to /home/ada/.talaria/recordings; /replay shows one.",
    );
    assert.match((await say("/record", onCodex, recording)).text, /^Recording is on\./);
  });

  test("is switched on and off for the next messages", async () => {
    for (const from of [call, noSession]) {
      const on = await say("/record ON", onCodex, from);
      assert.deepEqual(on.choices, { record: true });
      assert.match(on.text, /recordings; \/replay shows one/);
    }
    assert.deepEqual((await say("/record off", onCodex, recording)).choices, { record: false });
  });

  test("refuses what changes nothing, has no effect, or is no choice", async () => {
    for (const [line, from, host, answer] of [
      ["/record on", recording, onCodex, /on already\. Nothing was changed/],
      ["/record off", call, onCodex, /off already\. Nothing was changed/],
      ["/record on", call, fakeHost(), /only turns on codex.*\/runtime codex first/],
      ["/record maybe", call, onCodex, /takes on or off/],
    ] as const) {
      const reply = await say(line, host, from);
      assert.match(reply.text, answer);
      assert.equal(reply.choices, undefined);
    }
  });
});

describe("/replay", () => {
  test("lists the recordings, newest first, to choose from", async () => {
    const { text, choose } = await say("/replay");
    assert.deepEqual(text.split("\n"), [
      "1  1970-01-01 00:02  /r/trn_2.jsonl",
      "2  1970-01-01 00:01  /r/trn_1.jsonl",
      "/replay NUMBER shows one of them.",
    ]);
    assert.deepEqual(choose?.options[0], {
      value: "/r/trn_2.jsonl",
      label: "trn_2.jsonl",
      detail: "1970-01-01 00:02",
    });
    const none = fakeHost({ over: { "recordings.list": async () => [] } });
    assert.deepEqual(await say("/replay", none), {
      text: "There are no recordings yet. /record on makes one of each turn on codex.",
    });
  });

  test("shows one by its row or its file, and nothing in it steers the screen", async () => {
    assert.equal((await say("/replay 2")).text, "replay of /r/trn_1.jsonl\n2 frames");
    assert.equal((await say("/replay my file.jsonl")).text, "replay of my file.jsonl\n2 frames");
    const rude = fakeHost({
      over: { "recordings.replay": async () => ["a\u001B[2Jb"] },
    });
    assert.equal((await say("/replay x", rude)).text, "a\uFFFD[2Jb");
  });

  test("says so when there is none like that", async () => {
    assert.equal((await say("/replay 3")).text, "There is no recording 3. /replay lists them.");
    const replay = failing(new Refusal("usage", "x cannot be read.", "Name another."));
    const host = fakeHost({ over: { "recordings.replay": replay } });
    assert.equal((await say("/replay x", host)).text, "x cannot be read. Name another.");
  });
});
