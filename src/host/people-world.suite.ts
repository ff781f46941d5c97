import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { startDemoModel } from "../../test/fakes/demo-model.ts";
import { parseDemoScript } from "../../test/fakes/demo-script.ts";
import { asOwner, sendAs } from "../../test/owners-host.ts";
import { testFolder } from "../../test/temp-folder.ts";
import type { Choice } from "../core/asking.ts";
import type { Envelope } from "../core/events.ts";
import type { Attended, Incoming } from "../core/host.ts";
import { type ApprovalId, newId } from "../core/ids.ts";
import { type Audience, type Caller, type Principal, localOwner } from "../core/principal.ts";
import type { NewSession } from "../core/session.ts";
import { systemClock } from "../lib/clock.ts";
import { openHost } from "./index.ts";

export const says = (text: string): object => ({ reply: [{ text }] });
export const calls = (tool: string, args: object): object => ({ reply: [{ call: { tool, args } }] });
export const bob: Principal = { surface: "telegram", id: "77", name: "Bob", role: "member", local: false };
export const gus: Principal = { ...bob, id: "99", name: "Gus", role: "guest" };
export const you = localOwner("cli");

/** A host with a scripted model, to which anybody can say something. */
export async function peopleWorld(
  t: TestContext,
  steps: readonly object[],
  runtime = "auto",
  executor = false,
) {
  const folder = await testFolder(t);
  const model = await startDemoModel({ clock: systemClock, script: parseDemoScript({ steps }) });
  t.after(() => model[Symbol.asyncDispose]());
  const [home, cwd] = [join(folder, "home"), join(folder, "work")];
  await mkdir(join(home, "memories"), { recursive: true, mode: 0o700 });
  await mkdir(cwd);
  const memory = join(home, "memories", "MEMORY.md");
  await writeFile(memory, "The owl likes mice.\n", { mode: 0o600 });
  const settings = `terminal: {cwd: ${JSON.stringify(cwd)}}
model: {provider: mine, default: big, openai_runtime: ${runtime}}
providers:
  mine: {api: "${model.url}", protocol: responses, key_env: MINE_KEY}
`;
  await writeFile(join(home, "config.yaml"), settings, { mode: 0o600 });
  await writeFile(join(home, ".env"), "MINE_KEY=hunter2hunter2\n", { mode: 0o600 });
  const env = { PATH: process.env["PATH"], HOME: folder, TALARIA_HOME: home };
  const open = (also = {}) => openHost({ env, homeDir: folder, cwd, version: "test", ...also });
  const host = await open({ executor });
  t.after(() => host[Symbol.asyncDispose]());
  for (const { id, role } of [bob, gus])
    await host.gateway.people.allow({ surface: "telegram", id, role: role as "member" | "guest" }, 1);
  const fresh = (audience: Audience, from: Principal = bob): NewSession => ({
    id: newId("ses", systemClock.now()),
    cwd,
    surface: from.surface,
    audience,
  });
  let count = 0;
  const say = async (
    text: string,
    also: Partial<Incoming> & Pick<Incoming, "from"> & { readonly account?: string; readonly chat?: string },
    hear: (event: Envelope) => void = () => {},
  ) => {
    const { session = fresh("owner"), attended = "none" as Attended, account = "another", ...more } = also;
    const { chat = "c", ...rest } = more;
    const key = { surface: also.from.surface, account, chat, messageId: String((count += 1)) };
    const notices: string[] = [];
    const stop = host.subscribe(typeof session === "string" ? session : session.id, (event) => {
      if (event.type === "notice") notices.push(event.text);
      hear(event);
    });
    try {
      const input = [{ type: "text", text }] as const;
      const { from, ...wishes } = rest;
      const sent = await sendAs(host, from, { key, session, input, whenBusy: "refuse", attended, ...wishes });
      return { ended: await sent.ended, notices, sent };
    } finally {
      stop();
    }
  };
  /** Says it, and goes on as soon as its turn is at work. */
  const begin = (text: string, also: Partial<Incoming> & Pick<Incoming, "from">) => {
    const started = Promise.withResolvers<void>();
    const ended = say(text, also, ({ type }) => type === "delta" && started.resolve());
    return { started: Promise.race([started.promise, ended]), ended };
  };
  const queue = (text: string, { from, ...also }: Pick<Incoming, "from" | "session">) =>
    sendAs(host, from, {
      ...also,
      key: { surface: from.surface, account: "", chat: "c", messageId: String((count += 1)) },
      input: [{ type: "text", text }],
      whenBusy: "queue",
      attended: "none",
    });
  /** A message of the owner that a Stop has set aside while the turn before it ran. */
  const setAside = async () => {
    const session = fresh("owner");
    const key = { surface: "cli", account: "", chat: "c" };
    const wish = { input: [{ type: "text", text: "wait" }], whenBusy: "queue", attended: "none" } as const;
    const first = await sendAs(host, you, { key: { ...key, messageId: "first" }, session, ...wish });
    const next = { ...wish, session: session.id };
    const waiting = await sendAs(host, you, { key: { ...key, messageId: "waits" }, ...next });
    await asOwner(host).call("turns.stop", { session: session.id });
    await Promise.all([first.ended, waiting.ended]);
    return waiting;
  };
  const answer = async (by: Caller, approval: ApprovalId, choice: Choice): Promise<string> =>
    host
      .as(by)
      .call("approvals.answer", { approval, choice })
      .then(
        ({ outcome }) => outcome,
        () => "not for them",
      );
  return { host, open, model, folder, cwd, memory, fresh, say, begin, queue, setAside, answer };
}
