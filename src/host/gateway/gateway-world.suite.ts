import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { testFolder } from "../../../test/temp-folder.ts";
import type { Client } from "../../core/calls.ts";
import type { GatewayBot } from "../../core/gateway/gateway.ts";
import type { ChatKey } from "../../core/gateway/tables.ts";
import type { Host } from "../../core/host.ts";
import { type Principal, localOwner } from "../../core/principal.ts";
import { systemClock } from "../../lib/clock.ts";
import { hashOfCode } from "../../lib/secret.ts";
import { type OpenHost, openHost } from "../index.ts";

export const chat: ChatKey = { surface: "telegram", account: "bot", chat: "77" };
export const pat: Principal = { surface: "telegram", id: "77", name: "Pat", role: "owner", local: false };
export const answer = (markdown: string) => ({ ...chat, body: { kind: "answer", markdown } }) as const;

/** A bot that says it is connected. */
export const connected: Omit<GatewayBot, "waiting"> = {
  surface: "telegram",
  account: "bot",
  name: "@talaria",
  state: "connected",
  restarts: 0,
};

/** A host on the demo model, whose settings name a bot on Telegram. */
export async function gatewayWorld(
  t: TestContext,
  also: { readonly config?: string; readonly env?: OpenHost["env"]; readonly host?: Partial<OpenHost> } = {},
) {
  const folder = await testFolder(t);
  const [home, cwd] = [join(folder, "home"), join(folder, "work")];
  await mkdir(home, { mode: 0o700 });
  await mkdir(cwd);
  const { config = "gateway:\n  telegram:\n", env: more = { TELEGRAM_BOT_TOKEN: "123:abcdef" } } = also;
  await writeFile(join(home, "config.yaml"), config, { mode: 0o600 });
  const env = { PATH: process.env["PATH"], HOME: folder, TALARIA_HOME: home, ...more };
  const open = async (): Promise<Host> => {
    const opened = await openHost({ env, homeDir: folder, cwd, version: "test", ...also.host });
    t.after(() => opened[Symbol.asyncDispose]());
    return opened;
  };
  const host = await open();
  const owner: Client = host.as(localOwner("cli"));
  /** Somebody writes to the bot for the first time, and is given this code. */
  const asks = (code: string, id = "77", at = systemClock.now()) =>
    host.gateway.people.ask(
      {
        surface: "telegram",
        id,
        name: "Pat",
        chat: { ...chat, chat: id },
        askedAt: at,
        expiresAt: at + 3_600_000,
      },
      hashOfCode(code),
    );
  return { host, owner, open, asks, cwd, home };
}
