import { lines } from "../../../src/lib/rpc/jsonl.ts";
import { isObject } from "../../codex-schema/json-schema.ts";
import { seededIds } from "./ids.ts";
import type { FakeIo } from "./io.ts";
import {
  accountRead,
  compactStart,
  configRead,
  loadedList,
  modelList,
  unsubscribe,
} from "./other-methods.ts";
import type { FakeScript } from "./script.ts";
import { type Method, type Params, Refusal, type Session } from "./session.ts";
import { seedRecords } from "./seed-threads.ts";
import {
  cleanTerminals,
  injectItems,
  itemsList,
  threadFork,
  threadRead,
  threadResume,
  threadRevert,
  threadStart,
  turnsList,
} from "./thread-methods.ts";
import { turnInterrupt, turnStart, turnSteer } from "./turn-methods.ts";
import { makeWire, type Message } from "./wire.ts";

export type FakeEnd = { readonly code: number | null; readonly signal: "SIGKILL" | null };

export type FakeAppServer = {
  /** Resolves when the input has ended, or a fault has ended the process. Exit code 97: there were violations. */
  readonly ended: Promise<FakeEnd>;
  /** What the client did that codex would not understand, and turns that the script did not foresee. */
  readonly violations: readonly object[];
};

/** What a client sees as `codex app-server`, playing a script. */
export function fakeAppServer(script: FakeScript, io: FakeIo): FakeAppServer {
  const home = io.home.start();
  const judge = io.schema?.conversation();
  const wire = makeWire({
    io,
    faults: script.faults,
    seed: script.seed,
    process: home.process,
    onWrite: (message) => judge?.heed(message),
  });
  const violations: object[] = [];
  const violation = (problem: object): void => {
    violations.push(problem);
    wire.note(problem);
  };
  for (const thread of script.threads)
    if (home.read(thread.id).length === 0)
      for (const record of seedRecords(thread, io.clock.now())) home.append(thread.id, record);

  const session: Session = {
    wire,
    ids: seededIds(script.seed, home.process),
    clock: io.clock,
    home,
    script,
    homePath: io.home.path,
    config: { ...script.config, ...io.settings },
    threads: new Map(),
    active: new Map(),
    client: { name: "", experimental: false, ready: false, unwanted: new Set() },
    violation,
    async notify(method, params) {
      if (session.client.unwanted.has(method)) return;
      await wire.put(method, { method, params, emittedAtMs: io.clock.now() });
    },
  };

  const started = io.clock.monotonic();
  function hear(line: string): void {
    const message = parse(line);
    io.log({ ms: Math.round((io.clock.monotonic() - started) * 10) / 10, dir: "c>s", msg: message ?? line });
    if (message === undefined) return violation({ violation: "not a JSON object", line: line.slice(0, 200) });
    const problems = judge?.validateClientFrame(message) ?? [];
    if (problems.length > 0) violation({ violation: problems, frame: message });
    route(session, message, io.schema?.clientMethods ?? [...methods.keys()]);
  }
  const read = async (): Promise<void> => {
    for await (const line of lines(io.input, { maxBytes: 256 * 1024 * 1024 })) {
      if (wire.deaf.aborted) await new Promise<never>(() => {});
      if (line.trim() !== "") hear(line);
    }
    if (wire.deaf.aborted) await new Promise<never>(() => {});
  };
  const judged = (): FakeEnd => ({ code: violations.length > 0 ? 97 : 0, signal: null });
  const ended = Promise.race([
    read().then(judged, judged),
    wire.ended.then((end) =>
      "exit" in end ? { code: end.exit, signal: null } : { code: null, signal: end.signal },
    ),
  ]).finally(() => home.close());
  return { ended, violations };
}

function route(session: Session, message: Message, known: readonly string[]): void {
  const { id, method, params } = message;
  if (typeof method !== "string") {
    const answer =
      message["error"] === undefined ? { result: message["result"] } : { error: message["error"] };
    session.wire.answered(id, answer);
    return;
  }
  if (id === undefined) return; // a notification; codex answers none
  const respond = (result: object): Promise<void> => session.wire.put(method, { id, result });
  const refuse = (error: unknown): Promise<void> => {
    const code = error instanceof Refusal ? error.code : -32603;
    return session.wire.put(method, { error: { code, message: (error as Error).message }, id });
  };
  try {
    if (session.wire.coming(method).includes("overload"))
      throw new Refusal("Server overloaded; retry later.", -32001);
    const play = find(session, method, params, known);
    play(session, (params ?? {}) as Params, respond).catch(refuse);
  } catch (error) {
    void refuse(error);
  }
}

function find(session: Session, method: string, params: unknown, known: readonly string[]): Method {
  if (!known.includes(method) && !methods.has(method)) {
    const names = known.map((name) => `\`${name}\``).join(", ");
    throw new Refusal(`Invalid request: unknown variant \`${method}\`, expected one of ${names}`);
  }
  if (params === undefined) throw new Refusal("Invalid request: missing field `params`");
  if (method === "initialize" && session.client.ready) throw new Refusal("Already initialized");
  if (method !== "initialize" && !session.client.ready) throw new Refusal("Not initialized");
  const play = methods.get(method);
  if (play !== undefined) return play;
  session.violation({ violation: "the fake does not play this method", method });
  throw new Refusal(`fake-codex does not play ${method}`, -32603);
}

const initialize: Method = async (session, params, respond) => {
  const { name = "", version = "" } = (params["clientInfo"] ?? {}) as {
    readonly name?: string;
    readonly version?: string;
  };
  const { experimentalApi, optOutNotificationMethods } = (params["capabilities"] ?? {}) as Params;
  session.client.name = name;
  session.client.ready = true;
  session.client.experimental = experimentalApi === true;
  for (const method of (optOutNotificationMethods ?? []) as readonly string[])
    session.client.unwanted.add(method);
  await respond({
    userAgent: `${name}/${session.script.version} (fake; x86_64) unknown (${name}; ${version})`,
    codexHome: session.homePath,
    platformFamily: "unix",
    platformOs: "linux",
  });
  const quiet = {
    status: "disabled",
    serverName: "fake",
    installationId: session.ids.uuid(),
    environmentId: null,
  };
  await session.notify("remoteControl/status/changed", quiet);
};

const methods: ReadonlyMap<string, Method> = new Map([
  ["initialize", initialize],
  ["thread/start", threadStart],
  ["thread/resume", threadResume],
  ["thread/fork", threadFork],
  ["thread/read", threadRead],
  ["thread/items/list", itemsList],
  ["thread/turns/list", turnsList],
  ["thread/loaded/list", loadedList],
  ["thread/inject_items", injectItems],
  ["thread/revert", threadRevert],
  ["thread/unsubscribe", unsubscribe],
  ["thread/compact/start", compactStart],
  ["thread/backgroundTerminals/clean", cleanTerminals],
  ["turn/start", turnStart],
  ["turn/steer", turnSteer],
  ["turn/interrupt", turnInterrupt],
  ["account/read", accountRead],
  ["model/list", modelList],
  ["config/read", configRead],
]);

function parse(line: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
