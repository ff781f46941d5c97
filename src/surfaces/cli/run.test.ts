import assert from "node:assert/strict";
import { PassThrough, Writable } from "node:stream";
import { test } from "node:test";
import type { EndedEnvelope } from "../../core/events.ts";
import { type Acknowledged, Refusal } from "../../core/host.ts";
import { asId } from "../../core/ids.ts";
import type { CliPorts } from "./ports.ts";
import { type RunOptions, attendedBy, run, runTurn } from "./run.ts";
import { clientOf } from "../../../test/fakes/client.ts";

test("an interrupt that comes before there is a turn stops the turn as soon as it is there", async () => {
  const admitted = Promise.withResolvers<Acknowledged>();
  const ended = Promise.withResolvers<EndedEnvelope | null>();
  let running = false;
  const client = clientOf({
    "turns.send": () => admitted.promise,
    "turns.wait": () => ended.promise,
    "turns.stop": async () => {
      if (running) ended.resolve(null);
      return { interrupted: running, setAside: 0, ended: [] };
    },
  });
  let interrupt: (() => void) | undefined;
  const ports = {
    env: {},
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    newKey: () => "key",
    onInterrupt: (callback: () => void) => {
      interrupt = callback;
      return () => {};
    },
    onReaderGone: () => () => {},
  } as unknown as CliPorts;
  const session = asId<"ses">("ses_0123456789");
  const code = runTurn(ports, client, { session, input: [], choices: {}, attended: "none" }, {});
  interrupt?.();
  running = true;
  admitted.resolve({ session, inbox: asId<"inb">("inb_1"), state: "running" });
  assert.equal(await code, 130);
});

test("an answer that nobody has read is told, although its turn was done", async () => {
  const turn = asId<"trn">("trn_1");
  const head = { v: 1, seq: 0, session: asId<"ses">("ses_0123456789"), turn } as const;
  const done: EndedEnvelope = { ...head, type: "ended", outcome: "done", text: "yes", calls: 0 };
  const client = clientOf({
    "turns.send": async () => ({ session: head.session, inbox: asId<"inb">("inb_1"), state: "running" }),
    "turns.wait": async () => done,
    "turns.stop": async () => ({ interrupted: false, setAside: 0, ended: [] }),
    async *"sessions.follow"() {
      yield { ...head, type: "item", item: { id: asId<"itm">("itm_1"), kind: "text", text: "yes" } };
      yield done;
    },
  });
  const stdout = new Writable({
    write: (_chunk, _encoding, written) => written(Object.assign(new Error("gone"), { code: "EPIPE" })),
  });
  const stderr = new PassThrough();
  const ports = {
    env: {},
    stdout,
    stderr,
    newKey: () => "key",
    onInterrupt: () => () => {},
    onReaderGone: (callback: () => void) => {
      stdout.once("error", callback);
      return () => {};
    },
  } as unknown as CliPorts;
  const turnOf = { session: head.session, input: [], choices: {}, attended: "none" } as const;
  assert.equal(await runTurn(ports, client, turnOf, {}), 141);
  assert.match(String(stderr.read()), /nobody has read the answer/);
});

test("a turn goes on with the session that --resume says, and without one of this id there is none", async () => {
  const session = asId<"ses">("ses_0123456789");
  const sent: unknown[] = [];
  const client = clientOf({
    "host.status": async () => ({ warnings: [] }) as never,
    "sessions.get": async ({ session: said }) => {
      if (!session.startsWith(said)) throw new Refusal("not_found", `There is no session ${said}.`, "");
      return { id: session } as never;
    },
    "turns.send": async (input) => {
      sent.push(input.session);
      return { session, inbox: asId<"inb">("inb_1"), state: "running" };
    },
    "turns.wait": async () => null,
    "turns.stop": async () => ({ interrupted: false, setAside: 0, ended: [] }),
  });
  const ports = {
    cwd: "/",
    env: {},
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    newKey: () => "key",
    openHost: async () => Object.assign(client, { [Symbol.asyncDispose]: async () => {} }),
    onInterrupt: () => () => {},
    onReaderGone: () => () => {},
  } as unknown as CliPorts;
  const hi = (options: Partial<RunOptions>) =>
    run(ports, ["hi"], { image: [], memory: true, context: true, ...options });
  await hi({ resume: "ses_0123" });
  assert.deepEqual(sent, [session]);
  await assert.rejects(hi({ resume: "zzz" }), /There is no session zzz/);
  await assert.rejects(hi({ resume: true }), /--resume needs the id of a session/);
  await assert.rejects(hi({ resume: "ses_0123", session: "ses_0123" }), /Two sessions are asked for/);
  await assert.rejects(hi({ resume: "ses_0123", continue: true }), /Two sessions are asked for/);
  assert.equal(sent.length, 1);
});

const at = (stdin: boolean, stderr: boolean): CliPorts =>
  ({ stdin: { isTTY: stdin }, stderr: { isTTY: stderr } }) as unknown as CliPorts;

test("a person at a terminal is asked, and a script or a pipe is not, unless it says so", () => {
  assert.equal(attendedBy(at(true, true), undefined), "ask");
  for (const [stdin, stderr] of [
    [true, false],
    [false, true],
    [false, false],
  ] as const) {
    assert.equal(attendedBy(at(stdin, stderr), undefined), "none");
    assert.equal(attendedBy(at(stdin, stderr), "ask"), "ask");
  }
  assert.throws(() => attendedBy(at(true, true), "yes"), /--approve yes: not a choice/);
});
