import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import type { EndedEnvelope } from "../../core/events.ts";
import type { Acknowledged } from "../../core/host.ts";
import { asId } from "../../core/ids.ts";
import type { CliPorts } from "./ports.ts";
import { attendedBy, runTurn } from "./run.ts";
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
