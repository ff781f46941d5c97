import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, describe, test } from "node:test";
import { type ChatWindow, type Seen, chatWindows } from "../../../test/fakes/chat-window.ts";
import { startDemoModel } from "../../../test/fakes/demo-model.ts";
import { parseDemoScript } from "../../../test/fakes/demo-script.ts";
import { tempFolder } from "../../../test/temp-folder.ts";
import { platforms } from "../../core/gateway/chat.ts";
import { localOwner } from "../../core/principal.ts";
import { systemClock } from "../../lib/clock.ts";
import { openHost } from "../../host/index.ts";
import { openGateway } from "./index.ts";

const picture = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

for (const platform of platforms)
  describe(`${platform}, by its real library, with the real codex`, () => {
    test("a conversation: a status line, an answer, an approval by a button, a picture in, a file out, and Stop in mid-turn", async (t) => {
      const { chat, model, shows, cwd } = await world(t, platform, [
        { when: "hello", reply: [{ slow: { ms: 300 } }, { text: "Hello from codex." }] },
        {
          when: "touch",
          reply: [
            {
              call: {
                tool: "exec_command",
                args: {
                  cmd: "touch /etc/talaria-owl",
                  sandbox_permissions: "require_escalated",
                  justification: "an owl",
                },
              },
            },
          ],
        },
        { reply: [{ text: "It was not allowed." }] },
        { when: "picture", reply: [{ text: "A tiny picture." }] },
        {
          when: "report",
          reply: [{ call: { tool: "send_file", namespace: "talaria", args: { path: "report.txt" } } }],
        },
        { reply: [{ text: "There it is." }] },
        { when: "long", reply: [{ text: "Begun" }, { hang: true }] },
      ]);
      chat.say("hello");
      await shows((all) => all.some(({ text }) => text.includes("⏳")));
      await shows((all) => all.length === 1 && all[0]?.text === "Hello from codex.");
      chat.say("touch it");
      const asked = await shows((all) => all.some(({ buttons }) => buttons.length > 0));
      const question = asked.find(({ buttons }) => buttons.length > 0);
      assert.match(question?.text ?? "", /touch \/etc\/talaria-owl/);
      chat.press(question as Seen, "Deny");
      await shows((all) => all.some(({ text }) => text === "It was not allowed."));
      await shows((all) => all.every(({ buttons }) => buttons.length === 0));
      chat.say("a picture for you", picture);
      await shows((all) => all.some(({ text }) => text === "A tiny picture."));
      assert.match(JSON.stringify(model.requests.at(-1)), /data:image\/png;base64/);
      await writeFile(join(cwd, "report.txt"), "all is well");
      chat.say("send me the report");
      await shows((all) => all.some(({ text }) => text === "There it is."));
      const files = chat.seen().map((message) => message.files.join());
      assert.ok(files.includes("report.txt"), "it came before the answer");
      const before = model.requests.length;
      chat.say("long work");
      await until(() => model.requests.length > before);
      chat.say(platform === "slack" ? "!stop" : "/stop");
      await shows((all) => all.some(({ text }) => /interrupted/.test(text)));
    });
  });

async function world(t: TestContext, platform: (typeof platforms)[number], steps: readonly object[]) {
  // Codex does not like its home among temporary files.
  const cache = join(import.meta.dirname, "../../../node_modules/.cache");
  await mkdir(cache, { recursive: true });
  const open = new AsyncDisposableStack();
  t.after(() => open.disposeAsync());
  const made = open.use(await tempFolder(cache));
  const [home, cwd] = [join(made.path, "home"), join(made.path, "work")];
  for (const each of [home, cwd]) await mkdir(each, { mode: 0o700 });
  const chat: ChatWindow = open.use(await chatWindows[platform]());
  const model = open.use(await startDemoModel({ clock: systemClock, script: parseDemoScript({ steps }) }));
  const config = [
    `terminal: {cwd: ${JSON.stringify(cwd)}}`,
    "model: {provider: mine, default: gpt-5.5, openai_runtime: codex_app_server}",
    `providers:\n  mine: {api: "${model.url}", protocol: responses}`,
    "auxiliary: {title_generation: {enabled: false}}",
    `gateway:\n${chat.settings}`,
  ];
  await writeFile(join(home, "config.yaml"), config.join("\n"), { mode: 0o600 });
  await writeFile(join(home, ".env"), `${chat.variables}\n`, { mode: 0o600 });
  const bin = join(import.meta.dirname, "../../../node_modules/.bin");
  const env = { PATH: `${bin}:/usr/bin:/bin`, HOME: made.path, TALARIA_HOME: home };
  const host = open.use(await openHost({ env, homeDir: made.path, cwd, version: "test", executor: true }));
  await host
    .as(localOwner("cli"))
    .call("gateway.allow", { who: `${platform}:${chat.person}`, role: "owner" });
  open.use(await openGateway({ host }));
  // Discord keeps nothing for a bot that was never there.
  const isConnected = async (): Promise<boolean> =>
    (await host.as(localOwner("cli")).call("gateway.status", {})).bots.every(
      ({ state }) => state === "connected",
    );
  while (!(await isConnected())) await new Promise(setImmediate);
  const shows = async (isSo: (all: readonly Seen[]) => boolean): Promise<readonly Seen[]> => {
    await until(() => isSo(chat.seen()));
    return chat.seen();
  };
  return { chat, model, shows, cwd };
}

async function until(is: () => boolean): Promise<void> {
  while (!is()) await new Promise(setImmediate);
}
