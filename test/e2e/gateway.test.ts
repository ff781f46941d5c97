import assert from "node:assert/strict";
import { appendFile, readFile, watch } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { direct, startTelegram } from "../fakes/telegram/telegram.ts";
import { serving } from "./attached/serving.ts";
import { says, talariaOn } from "./endpoint.ts";
import { talaria } from "./talaria.ts";

const ann = { id: 7, name: "Ann" };

describe("talaria gateway", { concurrency: 2 }, () => {
  test("from a bot of nobody's to a conversation: status, pairing, a test message, why, revoking", async () => {
    await using telegram = await startTelegram();
    await using it = await talariaOn([says("It rains."), says("It rains again.")]);
    await appendFile(join(it.home, "config.yaml"), `gateway: { telegram: { api: "${telegram.url}" } }\n`);
    const unset = await it.run(["gateway"]);
    assert.match(unset.stdout, /^telegram +- +stopped, TELEGRAM_BOT_TOKEN is not set/);
    assert.match(unset.stdout, /The gateway does not run here\. Start it: talaria serve/);
    await appendFile(join(it.home, ".env"), `TELEGRAM_BOT_TOKEN=${telegram.token}\n`);
    const host = await serving(it);
    const texts = (): readonly string[] => telegram.shown(direct(ann)).map(({ text }) => text);
    telegram.say(direct(ann), ann, "hello");
    await telegram.until(() => texts().length === 1);
    const code = /talaria gateway pair ([A-Z2-9]{8})/.exec(texts()[0] ?? "")?.[1] ?? "";
    assert.match(texts()[0] ?? "", /You are telegram:7/);
    const people = await it.run(["gateway", "people"]);
    assert.match(people.stdout, /Waiting to be let in[^]*telegram:7 +Ann/);
    assert.ok(!people.stdout.includes(code), "the code is for who has it");
    const unsaid = await it.run(["gateway", "pair", code]);
    assert.deepEqual([unsaid.code, unsaid.stdout], [2, ""]);
    assert.match(unsaid.stderr, /--role owner/);
    const paired = await it.run(["gateway", "pair", code.toLowerCase(), "--role", "owner"]);
    assert.equal(paired.stdout, "Let in as owner: telegram:7 (Ann).\n", paired.stderr);
    await telegram.until(() => texts().some((text) => text.startsWith("You're in, as the owner")));
    const { messageId } = telegram.say(direct(ann), ann, "What is the weather?");
    await telegram.until(() => texts().includes("It rains."));
    const status = await it.run(["gateway", "status", "--json"]);
    const [{ running, bots, people: many }] = status.lines as unknown as [
      { running: boolean; people: number; bots: readonly { state: string; name: string; waiting: number }[] },
    ];
    assert.deepEqual(
      [running, many, bots[0]?.state, bots[0]?.name, bots[0]?.waiting],
      [true, 1, "connected", "talaria_bot", 0],
    );
    const tested = await it.run(["gateway", "test"]);
    assert.match(tested.stdout, /^ok {2}telegram: talaria_bot \(4242\) has sent you a message \(\d+\)\n$/);
    const why = await it.run(["why", String(messageId)]);
    assert.match(
      why.stdout,
      /received +rcv_[^]*admitted +inb_[^]*turn +trn_\w+: done[^]*part 1 +obx_\w+: sent, as \d+/,
    );
    telegram.say(direct(ann), ann, "/whoami");
    await telegram.until(() => texts().some((text) => text === "You are telegram:7 (Ann), the owner."));
    assert.equal((await it.run(["gateway", "revoke", "telegram:7"])).code, 0);
    assert.match((await it.run(["gateway", "people"])).stdout, /No longer let in:\ntelegram:7/);
    assert.match((await it.run(["doctor"])).stdout, /note +chat app telegram: .*nobody was let in/);
    host.signal("SIGTERM");
    const { stdout, code: exit } = await host.finished;
    assert.equal(exit, 0);
    for (const secret of [code, telegram.token]) assert.ok(!stdout.includes(secret), "it is not in the log");
  });

  test("B2 row 16: a command that ran when the host was killed is not run again by the next one", async () => {
    await using telegram = await startTelegram();
    const command = "echo ran >> ran.txt; sleep 600";
    await using it = await talariaOn([{ reply: [{ call: { tool: "terminal", args: { command } } }] }], {
      unaccounted: "what was killed has reported nothing",
    });
    await appendFile(join(it.home, "config.yaml"), `gateway: { telegram: { api: "${telegram.url}" } }\n`);
    await appendFile(join(it.home, "config.yaml"), `terminal: { cwd: ${JSON.stringify(it.cwd)} }\n`);
    await appendFile(join(it.home, ".env"), `TELEGRAM_BOT_TOKEN=${telegram.token}\n`);
    await it.run(["gateway", "allow", "telegram:7", "--role", "owner"]);
    const host = await serving(it);
    const ran = (): Promise<string> => readFile(join(it.cwd, "ran.txt"), "utf8").catch(() => "");
    const folder = watch(it.cwd, { signal: AbortSignal.timeout(60_000) });
    telegram.say(direct(ann), ann, "run it");
    for await (const _ of folder) if ((await ran()) !== "") break;
    host.signal("SIGKILL");
    await host.finished;
    const next = await serving(it);
    const isTold = (): boolean => telegram.shown(direct(ann)).some(({ text }) => /interrupted/.test(text));
    await telegram.until(isTold);
    assert.equal(await ran(), "ran\n");
    assert.equal(it.model.requests.length, 1);
    next.signal("SIGTERM");
    await next.finished;
  });

  test("without a host says so, and lets people in all the same", async () => {
    await using it = await talaria();
    const none = await it.run(["gateway", "status"]);
    assert.match(none.stdout, /^No chat app is set up\./);
    const allowed = await it.run(["gateway", "allow", "slack:U123", "--name", "Bo"]);
    assert.match(allowed.stdout, /^Let in as member: slack:U123 \(Bo\)\.\nNobody is the owner in a chat yet/);
    const wrong = await it.run(["gateway", "allow", "slack:U123", "--role", "boss"]);
    assert.deepEqual([wrong.code, wrong.stderr.includes("Use one of: owner, member, guest.")], [2, true]);
    const tested = await it.run(["gateway", "test", "slack"]);
    assert.equal(tested.code, 1);
    assert.match(tested.stdout, /^FAIL {2}slack: gateway\.slack is not set/);
    assert.equal((await it.run(["gateway", "test", "irc"])).code, 2);
    assert.match((await it.run(["gateway", "resend", "obx_1"])).stderr, /There is no message obx_1/);
  });
});
