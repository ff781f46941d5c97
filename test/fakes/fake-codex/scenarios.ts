import { type Driver, type Frame, pick, text } from "./driver.ts";

/** One conversation for both: what the model says to the real codex, what the fake plays instead, and the client. */
export type Scenario = {
  readonly name: string;
  /** What the model says to each request, in order; each in the terms of the demo model. */
  readonly model: readonly (readonly object[])[];
  /** The same in the terms of the fake: a list of steps per turn. */
  readonly fake: readonly (readonly object[])[];
  readonly play: (client: Client) => Promise<void>;
};

/** A client with one thread. */
export type Client = {
  driver: Driver;
  thread: string;
  /** Starts a turn with the words of this scenario; resolves with its id. */
  turn(params?: object): Promise<string>;
  say(): readonly object[];
  ended(): Promise<Frame>;
  /** Waits for a request and answers it. */
  answer(method: string, body: object): Promise<void>;
  started(itemType: string): Promise<Frame>;
  startThread(params?: object): Promise<void>;
  /** Kills the process with SIGKILL and starts another on the same home. */
  restart(): Promise<void>;
};

const done = [{ text: "All done." }];
const exec = (cmd: string, also: object = {}) => [{ call: { tool: "exec_command", args: { cmd, ...also } } }];
/** A file of its own for each scenario: what is there already is no change. */
const patch = (name: string) => [
  {
    custom: {
      tool: "apply_patch",
      input: `*** Begin Patch\n*** Add File: ${name}.txt\n+hello\n*** End Patch`,
    },
  },
];
const change = (name: string) => ({ path: `${name}.txt`, kind: "add", diff: "hello\n" });
const tool = { type: "function", name: "lookup", description: "Looks up", inputSchema: { type: "object" } };
const lookup = (q: string) => ({ call: { tool: "lookup", args: { q } } });
const question = {
  id: "q1",
  header: "Colour",
  question: "Which colour?",
  options: [
    { label: "Blue", description: "b" },
    { label: "Red", description: "r" },
  ],
};
const wanted = { reason: "need it", permissions: { network: { enabled: true } } };
const command = "item/commandExecution/requestApproval";
const file = "item/fileChange/requestApproval";
const found = { result: { contentItems: [{ type: "inputText", text: "found" }], success: true } };

/** A command that asks, answered so; the turn goes on. */
const askedCommand = (name: string, body: object, then: readonly object[] = done): Scenario => ({
  name,
  model: [exec("rm -f nothing.txt"), then],
  fake: [[{ exec: { cmd: "rm -f nothing.txt", approve: true } }, { agent: "All done." }]],
  async play(client) {
    await client.turn();
    await client.answer(command, body);
    await client.ended();
  },
});

const askedPatch = (name: string, body: object): Scenario => ({
  name,
  model: [patch(name), done],
  fake: [[{ patch: { changes: [change(name)], approve: true } }, { agent: "All done." }]],
  async play(client) {
    await client.startThread({ sandbox: "read-only" });
    await client.turn();
    await client.answer(file, body);
    await client.ended();
  },
});

const failing = (name: string, status: number, code: string, fail: object): Scenario => ({
  name,
  model: [[{ http: { status, body: { error: { message: "no", code } } } }], done],
  fake: [[{ fail: { message: "no", ...fail } }], [{ agent: "All done." }]],
  async play(client) {
    await client.turn();
    await client.ended();
    await client.turn();
    await client.ended();
  },
});

const plainTurn = async (client: Client): Promise<void> => {
  await client.turn();
  await client.ended();
};

export const scenarios: readonly Scenario[] = [
  { name: "plain-text", model: [done], fake: [[{ agent: "All done." }]], play: plainTurn },
  {
    name: "thinking",
    model: [[{ reasoning: { summary: ["first part", "second part"] } }, ...done]],
    fake: [[{ reasoning: ["first part", "second part"] }, { agent: "All done." }]],
    play: plainTurn,
  },
  {
    name: "two-phases",
    model: [
      [
        { text: "Let me see.", phase: "commentary" },
        { text: "Yes.", phase: "final_answer" },
      ],
    ],
    fake: [
      [
        { agent: "Let me see.", phase: "commentary" },
        { agent: "Yes.", phase: "final_answer" },
      ],
    ],
    play: plainTurn,
  },
  { name: "empty-answer", model: [[{ empty: true }]], fake: [[]], play: plainTurn },
  {
    name: "commands",
    model: [exec("echo hi"), exec("exit 3"), done],
    fake: [
      [
        { exec: { cmd: "echo hi", output: "hi\n" } },
        { exec: { cmd: "exit 3", exitCode: 3 } },
        { agent: "All done." },
      ],
    ],
    play: plainTurn,
  },
  askedCommand("command-accept", { result: { decision: "accept" } }),
  askedCommand("command-decline", { result: { decision: "decline" } }),
  askedCommand("command-cancel", { result: { decision: "cancel" } }),
  askedCommand("command-error", { error: { code: -32601, message: "Method not found" } }),
  {
    name: "command-session",
    model: [exec("rm -f nothing.txt"), exec("rm -f nothing.txt"), exec("rm -f other.txt"), done],
    fake: [
      [
        { exec: { cmd: "rm -f nothing.txt", approve: true } },
        { exec: { cmd: "rm -f nothing.txt", approve: true } },
        { exec: { cmd: "rm -f other.txt", approve: true } },
        { agent: "All done." },
      ],
    ],
    async play(client) {
      await client.turn();
      await client.answer(command, { result: { decision: "acceptForSession" } });
      await client.answer(command, { result: { decision: "decline" } });
      await client.ended();
    },
  },
  {
    name: "patch",
    model: [patch("patch"), done],
    fake: [[{ patch: { changes: [change("patch")] } }, { agent: "All done." }]],
    play: plainTurn,
  },
  askedPatch("patch-accept", { result: { decision: "accept" } }),
  askedPatch("patch-decline", { result: { decision: "decline" } }),
  askedPatch("patch-cancel", { result: { decision: "cancel" } }),
  askedPatch("patch-error", { error: { code: -32601, message: "Method not found" } }),
  {
    name: "dynamic-tools",
    model: [[lookup("a")], [lookup("b")], [lookup("c")], done],
    fake: [
      [
        ...["a", "b", "c"].map((q) => ({ dynamicTool: { tool: "lookup", args: { q } } })),
        { agent: "All done." },
      ],
    ],
    async play(client) {
      await client.startThread({ dynamicTools: [tool] });
      await client.turn();
      await client.answer("item/tool/call", found);
      await client.answer("item/tool/call", { result: { contentItems: [], success: false } });
      await client.answer("item/tool/call", { error: { code: -32000, message: "broken" } });
      await client.ended();
    },
  },
  {
    name: "user-input",
    model: [[{ call: { tool: "request_user_input", args: { questions: [question] } } }], done],
    fake: [[{ userInput: { questions: [question] } }, { agent: "All done." }]],
    async play(client) {
      const settings = { model: "gpt-5.5", reasoning_effort: null, developer_instructions: null };
      await client.turn({ collaborationMode: { mode: "plan", settings } });
      await client.answer("item/tool/requestUserInput", {
        result: { answers: { q1: { answers: ["Blue"] } } },
      });
      await client.ended();
    },
  },
  {
    name: "permissions",
    model: [[{ call: { tool: "request_permissions", args: wanted } }], done],
    fake: [[{ permissions: wanted }, { agent: "All done." }]],
    async play(client) {
      await client.startThread({ sandbox: "workspace-write" });
      await client.turn();
      await client.answer("item/permissions/requestApproval", { result: { permissions: {}, scope: "turn" } });
      await client.ended();
    },
  },
  {
    name: "interrupt-tool",
    model: [[lookup("a")]],
    fake: [[{ dynamicTool: { tool: "lookup", args: { q: "a" } } }]],
    async play(client) {
      await client.startThread({ dynamicTools: [tool] });
      const turnId = await client.turn();
      const { id } = await client.driver.next("item/tool/call");
      await client.driver.call("turn/interrupt", { threadId: client.thread, turnId });
      await client.ended();
      await client.driver.send({ id, ...found });
    },
  },
  {
    name: "interrupt-silence",
    model: [[{ text: "Half of it" }, { hang: true }]],
    fake: [[{ agent: "Half of it" }, { silence: true }]],
    async play(client) {
      const turnId = await client.turn();
      await client.driver.until(
        "the text",
        (frame) => pick(frame, "params", "item", "text") === "Half of it",
      );
      const threadId = client.thread;
      await client.driver.call("turn/interrupt", { threadId, turnId: "x" });
      await client.driver.call("turn/steer", { threadId, expectedTurnId: "x", input: client.say() });
      await client.driver.call("thread/read", { threadId, includeTurns: true });
      await client.driver.call("turn/interrupt", { threadId, turnId });
      await client.ended();
      await client.driver.call("turn/steer", { threadId, expectedTurnId: turnId, input: client.say() });
      await client.driver.call("thread/read", { threadId });
    },
  },
  {
    name: "interrupt-twice", // codex answers the second one only when the next turn ends
    model: [[{ text: "Half of it" }, { hang: true }], done],
    fake: [[{ agent: "Half of it" }, { silence: true }], [{ agent: "All done." }]],
    async play(client) {
      const threadId = client.thread;
      const turnId = await client.turn();
      await client.driver.until(
        "the text",
        (frame) => pick(frame, "params", "item", "text") === "Half of it",
      );
      await client.driver.call("turn/interrupt", { threadId, turnId });
      await client.ended();
      await client.driver.send({ id: 991, method: "turn/interrupt", params: { threadId, turnId } });
      await client.driver.call("turn/interrupt", { threadId, turnId: "" });
      await client.driver.call("turn/interrupt", { threadId, turnId: "x" });
      await plainTurn(client);
      await client.driver.call("turn/interrupt", { threadId, turnId });
    },
  },
  {
    name: "interrupt-question",
    model: [exec("rm -f nothing.txt")],
    fake: [[{ exec: { cmd: "rm -f nothing.txt", approve: true } }]],
    async play(client) {
      const turnId = await client.turn();
      await client.driver.next(command);
      await client.driver.call("turn/interrupt", { threadId: client.thread, turnId });
      await client.driver.next("serverRequest/resolved");
    },
  },
  {
    name: "interrupt-command",
    model: [exec("echo start; sleep 60", { yield_time_ms: 30_000 })],
    fake: [[{ exec: { cmd: "echo start; sleep 60", output: "start\n", running: true } }]],
    async play(client) {
      const threadId = client.thread;
      const turnId = await client.turn();
      await client.started("commandExecution");
      await client.driver.call("turn/interrupt", { threadId, turnId });
      await client.ended();
      await client.driver.call("thread/backgroundTerminals/clean", { threadId });
      await client.driver.next("item/completed");
    },
  },
  failing("refused-401", 401, "invalid_api_key", {
    codexErrorInfo: "httpConnectionFailed",
    httpStatusCode: 401,
  }),
  failing("limited-429", 429, "rate_limit_exceeded", {
    codexErrorInfo: "responseTooManyFailedAttempts",
    httpStatusCode: 429,
  }),
  failing("quota-429", 429, "insufficient_quota", { codexErrorInfo: "usageLimitExceeded" }),
  failing("broken-500", 500, "server_error", { codexErrorInfo: "internalServerError" }),
  failing("wrong-400", 400, "invalid_value", { codexErrorInfo: "other" }),
  ...(["turn/start", "turn/steer"] as const).map((method): Scenario => ({
    name: `steer-by-${method.replace("/", "-")}`,
    model: [[{ text: "Half of it" }, { hang: true }], done],
    fake: [[{ agent: "Half of it" }, { silence: true }], [{ agent: "All done." }]],
    async play(client) {
      const expectedTurnId = await client.turn();
      await client.driver.until(
        "the text",
        (frame) => pick(frame, "params", "item", "text") === "Half of it",
      );
      const busy = method === "turn/start" ? {} : { expectedTurnId };
      await client.driver.call(method, { threadId: client.thread, input: client.say(), ...busy });
      await client.ended();
    },
  })),
  {
    name: "threads",
    model: [done],
    fake: [[{ agent: "All done." }]],
    async play(client) {
      const threadId = client.thread;
      const { driver } = client;
      const nobody = { threadId: "00000000-0000-7000-8000-000000000000" };
      await driver.call("thread/resume", { threadId, excludeTurns: true });
      await driver.call("thread/read", { threadId, includeTurns: true });
      await driver.call("thread/items/list", { threadId });
      await driver.call("thread/inject_items", {
        threadId,
        items: [{ type: "message", role: "user", content: [{ type: "input_text", text: "before" }] }],
      });
      await driver.call("thread/resume", { threadId, excludeTurns: true });
      await driver.next("thread/goal/cleared");
      await plainTurn(client);
      for (const method of ["thread/items/list", "thread/turns/list", "thread/read"])
        await driver.call(method, { threadId });
      for (const method of ["thread/resume", "thread/read"]) {
        await driver.call(method, nobody);
        await driver.call(method, { threadId: "nope" });
      }
      await driver.call("turn/start", { ...nobody, input: [] });
      await driver.call("turn/start", {});
      await driver.call("initialize", { clientInfo: { name: "x", version: "1" } });
      await driver.call("no/such", {});
      await driver.send({ id: 990, method: "thread/read" });
      await driver.until("a refusal", (frame) => frame["id"] === 990);
      await driver.call("account/read", {});
      await driver.call("model/list", {});
    },
  },
  {
    name: "revert",
    model: [done, done, done],
    fake: [[{ agent: "All done." }], [{ agent: "All done." }], [{ agent: "All done." }]],
    async play(client) {
      const threadId = client.thread;
      const { driver } = client;
      await plainTurn(client);
      const beforeTurnId = await client.turn();
      await client.ended();
      await driver.call("thread/revert", { threadId, beforeTurnId });
      await driver.next("thread/reverted");
      await plainTurn(client);
      await driver.call("thread/turns/list", { threadId });
      await driver.call("thread/revert", { threadId, beforeTurnId });
    },
  },
  {
    name: "killed",
    model: [exec("echo hi"), [{ text: "Half of it" }, { hang: true }], done],
    fake: [
      [{ exec: { cmd: "echo hi", output: "hi\n" } }, { agent: "Half of it" }, { silence: true }],
      [{ agent: "All done." }],
    ],
    async play(client) {
      await client.turn();
      await client.driver.until(
        "the text",
        (frame) => pick(frame, "params", "item", "text") === "Half of it",
      );
      const threadId = client.thread;
      await client.restart();
      const { driver } = client;
      await driver.call("turn/start", { threadId, input: client.say() });
      await driver.call("thread/read", { threadId, includeTurns: true });
      await driver.call("thread/items/list", { threadId });
      await driver.call("thread/resume", { threadId, excludeTurns: true });
      await driver.next("thread/goal/cleared"); // the last that a resumed thread says
      await plainTurn(client);
    },
  },
];

export const wordsFor = (name: string): readonly object[] => [text(`scenario ${name}`)];
