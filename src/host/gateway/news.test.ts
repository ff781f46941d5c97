import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sendAs } from "../../../test/owners-host.ts";
import { newId } from "../../core/ids.ts";
import { localOwner } from "../../core/principal.ts";
import { systemClock } from "../../lib/clock.ts";
import { answer, gatewayWorld } from "./gateway-world.suite.ts";

describe("what a chat tells the owner by itself", () => {
  test("is an alert, told once, by the chat or at the next terminal, whoever is first", async (t) => {
    const { host, cwd } = await gatewayWorld(t);
    const { news, alert, outbox } = host.gateway;
    let heard = 0;
    news.onNews(() => (heard += 1));
    await alert("telegram 5", "The bot is out of order.");
    await alert("telegram 5", "The bot is out of order.");
    await alert("telegram 6", "The bot is out of order again.");
    assert.ok(heard > 0);
    const [first, second, ...more] = await news.untold();
    assert.deepEqual(
      [first?.level, first?.target, first?.text, more],
      ["needs", "local", "The bot is out of order.", []],
    );
    const told = await news.tell(first!, answer(first!.text));
    assert.deepEqual([told?.state, told?.about], ["pending", first!.outcomes[0]]);
    assert.equal(await news.tell(first!, answer("again")), undefined);
    const id = newId("ses", systemClock.now());
    const notices: string[] = [];
    host.subscribe(id, (event) => void (event.type === "notice" && notices.push(event.text)));
    const sent = await sendAs(host, localOwner("cli"), {
      key: { surface: "cli", account: "", chat: "", messageId: "1" },
      session: { id, cwd, surface: "cli", audience: "owner" },
      input: [{ type: "text", text: "hello" }],
      whenBusy: "refuse",
      attended: "none",
    });
    await sent.ended;
    assert.deepEqual(notices, ["The bot is out of order again."]);
    assert.equal(await news.tell(second!, answer("late")), undefined, "a terminal was first");
    assert.deepEqual(await news.untold(), []);
    assert.equal((await outbox.due("telegram", "bot")).length, 1);
  });

  test("is what a schedule has answered, whole, where its owner wants it", async (t) => {
    const { host, owner, cwd } = await gatewayWorld(t, { host: { executor: true } });
    const { news } = host.gateway;
    const add = (deliver: "notify" | "telegram:77" | "slack:U1") =>
      owner.call("cron.add", { when: "every 2h", text: "hello", name: `to ${deliver}`, cwd, deliver });
    await assert.rejects(add("slack:U1"), /at slack:U1: gateway\.slack is not set up\./);
    const heard = Promise.withResolvers<void>();
    news.onNews(() => void news.untold().then((all) => all.length > 0 && heard.resolve()));
    const { id } = await add("telegram:77");
    await owner.call("cron.run", { id });
    await heard.promise;
    const [told] = await news.untold();
    assert.deepEqual([told?.target, told?.level], ["telegram:77", "results"]);
    assert.match(told?.text ?? "", /^\*\*to telegram:77\*\*\n\n\S/);
    const row = await news.tell(told!, answer(told!.text));
    const { state, why } = await owner.call("why.explain", { id: told!.outcomes[0]! });
    assert.match(state, new RegExp(`^ran; delivery: delivered, in telegram:77 \\(${row!.id}: pending\\)$`));
    assert.equal(why, "it ran");
  });
});
