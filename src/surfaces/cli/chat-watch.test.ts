import assert from "node:assert/strict";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { clientOf } from "../../../test/fakes/client.ts";
import type { Envelope } from "../../core/events.ts";
import type { OpenClient } from "../../core/host.ts";
import { asId } from "../../core/ids.ts";
import { localOwner } from "../../core/principal.ts";
import { chat } from "./chat.ts";
import type { CliPorts } from "./ports.ts";

const session = asId<"ses">("ses_0123456789");

/** A chat of lines on a terminal, and all that it writes. */
function terminal(told: AsyncIterable<Envelope>) {
  let written = "";
  const screen = new PassThrough();
  screen.on("data", (bytes: Buffer) => void (written += bytes.toString()));
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const client = clientOf({
    "host.status": async () =>
      ({
        warnings: [],
        version: "1",
        model: "m",
        provider: "p",
        runtime: "loop",
        profile: "default",
      }) as never,
    "sessions.get": async () => ({ id: session }) as never,
    "sessions.turns": async () => [],
    "sessions.follow": () => told as never,
  });
  const ports = {
    env: {},
    cwd: "/",
    stdin,
    stdout: screen,
    stderr: screen,
    openHost: async () => ({ ...client, [Symbol.asyncDispose]: async () => {} }) as OpenClient,
    onInterrupt: () => () => {},
  } as unknown as CliPorts;
  const until = async (text: string): Promise<void> => {
    while (!written.includes(text)) await once(screen, "data");
  };
  return { ports, stdin, until, written: () => written };
}

test("a chat of lines shows a turn of another process while it happens, and asks for the next line again", async () => {
  const header = { v: 1, session, turn: asId<"trn">("trn_1"), elsewhere: true } as const;
  const shown = Promise.withResolvers<void>();
  async function* told(): AsyncGenerator<Envelope> {
    const input = [{ type: "text", text: "what flies at night?" }] as const;
    yield { ...header, seq: 1, type: "said", from: localOwner("tui"), input };
    yield { ...header, seq: 2, type: "started", runtime: "loop", model: "m", cwd: "/" };
    // What is not said before the answer is there was not said as it happened.
    await shown.promise;
    const item = { id: asId<"itm">("itm_1"), kind: "text", text: "Bats." } as const;
    yield { ...header, seq: 3, type: "item", item };
    yield { ...header, seq: 4, type: "ended", outcome: "done", text: "Bats.", calls: 0 };
  }
  const { ports, stdin, until, written } = terminal(told());
  const ended = chat(ports, { plain: true, resume: session });
  await until("what flies at night?");
  shown.resolve();
  await until("Bats.\n\n› ");
  assert.match(written(), /\n› \n· This session went on elsewhere:\n› what flies at night\?\nBats\.\n\n› $/);
  stdin.end();
  assert.equal(await ended, 0);
});
