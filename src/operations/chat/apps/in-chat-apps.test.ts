import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Answered } from "../../../core/asking.ts";
import { Refusal } from "../../../core/host.ts";
import { call, fakeHost, inChat, say } from "../fake-host.suite.ts";

const answers = (answered: Answered) => {
  const asked: unknown[] = [];
  const host = fakeHost({ over: { "approvals.answer": async (input) => (asked.push(input), answered) } });
  return { asked, host };
};

const approved = async (answered: Answered): Promise<string> =>
  (await say("/approve 0f3a9c", answers(answered).host, inChat("owner"))).text;

const whoIs = async (role: "owner" | "member" | "guest"): Promise<string> =>
  (await say("/whoami", fakeHost(), inChat(role))).text;

describe("/approve and /deny", () => {
  test("answer the question with this code, once or for the session, and never always", async () => {
    const { asked, host } = answers({ outcome: "taken" });
    const owner = inChat("owner");
    assert.equal((await say("/approve 0F3a9c", host, owner)).text, "Allowed, this once.");
    assert.equal((await say("/approve 0f3a9c session", host, owner)).text, "Allowed for this session.");
    assert.equal((await say("/deny 0f3a9c", host, inChat("member"))).text, "Denied.");
    assert.deepEqual(asked, [
      { approval: "0f3a9c", choice: "once" },
      { approval: "0f3a9c", choice: "session" },
      { approval: "0f3a9c", choice: "deny" },
    ]);
    assert.match((await say("/approve 0f3a9c always", host, owner)).text, /only at the machine itself/);
    for (const line of ["/approve", "/approve a b c", "/approve 0f3a9c everything", "/deny", "/deny a b"])
      assert.match((await say(line, host, owner)).text, /takes the code below the question/, line);
    assert.equal(asked.length, 3);
  });

  test("say what became of it when it is late, not theirs or not there", async () => {
    const decision = { choice: "deny", why: "person", by: "you" } as const;
    const late = await approved({ outcome: "late", decision });
    assert.equal(late, "It was answered before: denied by you. Nothing was changed.");
    assert.equal(await approved({ outcome: "late" }), "It was answered before. Nothing was changed.");
    assert.match(
      await approved({ outcome: "refused", why: "only the owner may answer" }),
      /only the owner may/,
    );
    assert.match(await approved({ outcome: "unknown" }), /No question has the code 0f3a9c/);
  });

  test("are for who may answer: members only refuse, guests neither, and there is no yolo", async () => {
    const { asked, host } = answers({ outcome: "taken" });
    for (const [line, role] of [
      ["/approve 0f3a9c", "member"],
      ["/approve 0f3a9c", "guest"],
      ["/deny 0f3a9c", "guest"],
    ] as const)
      assert.match((await say(line, host, inChat(role))).text, /is for the owner.* only/, `${line} ${role}`);
    assert.match((await say("/deny 0f3a9c", host, inChat("guest"))).text, /the owner and members only/);
    assert.match((await say("/status", host, inChat("guest"))).text, /the owner and members only/);
    assert.match(
      (await say("/approve 0f3a9c", host, inChat("member"))).text,
      /the owner here only|the owner only/,
    );
    assert.match((await say("/yolo on", host, inChat("owner"))).text, /not available on telegram/);
    assert.match((await say("/approve 0f3a9c", host, call)).text, /not available on cli/);
    assert.deepEqual(asked, []);
  });
});

describe("/whoami", () => {
  test("says to anybody by which name they are let in, and as what", async () => {
    assert.match(await whoIs("owner"), /^You are telegram:77 \(Pat\), the owner\.$/);
    assert.match(await whoIs("member"), /^You are telegram:77 \(Pat\), a member: /);
    assert.match(await whoIs("guest"), /^You are telegram:77 \(Pat\), a guest: /);
  });
});

describe("/resend", () => {
  test("sends a message again by its id, and says why not", async () => {
    const asked: unknown[] = [];
    const over = {
      "gateway.resend": async (input: { readonly id: string }) => {
        asked.push(input);
        throw new Refusal("usage", "It arrived.", "Look at the chat.");
      },
    };
    const host = fakeHost({ over });
    assert.equal((await say("/resend obx_1", host, inChat("guest"))).text, "It arrived. Look at the chat.");
    assert.match((await say("/resend", host, inChat("guest"))).text, /takes the id/);
    assert.match((await say("/resend 77", host, inChat("guest"))).text, /takes the id/);
    assert.deepEqual(asked, [{ id: "obx_1" }]);
  });
});

describe("/status", () => {
  test("shows others nothing of where things are on this machine", async () => {
    assert.match((await say("/status", fakeHost(), inChat("owner"))).text, /^cwd +\/work$/m);
    const members = (await say("/status", fakeHost(), inChat("member"))).text;
    assert.match(members, /^runtime/m);
    assert.doesNotMatch(members, /\/work|profile/);
  });
});
