import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { type ChatApp, chatApp } from "../../../test/fakes/chat-app.ts";
import { startDemoModel } from "../../../test/fakes/demo-model.ts";
import { parseDemoScript } from "../../../test/fakes/demo-script.ts";
import { testFolder } from "../../../test/temp-folder.ts";
import type { Platform } from "../../core/gateway/chat.ts";
import type { StoredPerson } from "../../core/gateway/tables.ts";
import { type Host, Refusal } from "../../core/host.ts";
import { systemClock } from "../../lib/clock.ts";
import { openHost } from "../../host/index.ts";
import { openGateway } from "./index.ts";

export const says = (text: string, when?: string): object => ({ ...(when && { when }), reply: [{ text }] });
export const calls = (tool: string, args: object, when?: string): object => ({
  ...(when && { when }),
  reply: [{ call: { tool, args } }],
});

type Wish = {
  readonly steps?: readonly object[];
  /** Lines of the section `gateway`. */
  readonly settings?: string;
  readonly apps?: readonly ChatApp[];
  readonly runtime?: string;
};

/** A host that stays with a scripted model, and chat apps in memory through which it is reached. Person 1 is the owner. */
export async function gatewayWorld(
  t: TestContext,
  { steps = [], settings = "", apps = [chatApp()], runtime = "auto" }: Wish = {},
) {
  const folder = await testFolder(t);
  const model = await startDemoModel({ clock: systemClock, script: parseDemoScript({ steps }) });
  t.after(() => model[Symbol.asyncDispose]());
  const [home, cwd] = [join(folder, "home"), join(folder, "work")];
  await mkdir(home, { recursive: true, mode: 0o700 });
  await mkdir(cwd);
  const config = `terminal: {cwd: ${JSON.stringify(cwd)}}
model: {provider: mine, default: big, openai_runtime: ${runtime}}
providers:
  mine: {api: "${model.url}", protocol: responses, key_env: MINE_KEY}
${settings === "" ? "" : `gateway:\n${settings}\n`}`;
  await writeFile(join(home, "config.yaml"), config, { mode: 0o600 });
  await writeFile(join(home, ".env"), "MINE_KEY=hunter2hunter2\n", { mode: 0o600 });
  const env = { PATH: process.env["PATH"], HOME: folder, TALARIA_HOME: home };
  let open: (AsyncDisposable & { readonly host: Host }) | undefined;
  const logged: string[] = [];
  const log = (_: string, fields: Readonly<Record<string, unknown>> = {}): void =>
    void logged.push(String(fields["text"]));
  const start = async (): Promise<Host> => {
    const host = await openHost({
      env,
      homeDir: folder,
      cwd,
      version: "test",
      executor: true,
    });
    const door = await openGateway({ host, log, bots: apps.map(({ bot }) => bot) });
    open = {
      host,
      async [Symbol.asyncDispose]() {
        await door?.[Symbol.asyncDispose]();
        await host[Symbol.asyncDispose]();
      },
    };
    return host;
  };
  const stop = async (): Promise<void> => {
    const was = open;
    open = undefined;
    await was?.[Symbol.asyncDispose]();
  };
  t.after(stop);
  await start();
  const host = (): Host => {
    if (open === undefined) throw new Refusal("stopping", "The world is closed.", "Start it.");
    return open.host;
  };
  const allow = (id: string, role: StoredPerson["role"], surface: Platform = "telegram") =>
    host().gateway.people.allow({ surface, id, role }, systemClock.now());
  for (const { surface } of apps) await allow("1", "owner", surface);
  return { app: apps[0] ?? chatApp(), apps, host, model, folder, cwd, home, allow, start, stop, logged };
}
