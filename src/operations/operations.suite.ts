import assert from "node:assert/strict";
import { type TestContext, describe, test } from "node:test";
import type { InputOf, OperationName } from "../core/calls.ts";
import { toFailure } from "../core/failure.ts";
import { type InboxId, type SessionId, type TurnId, asId, newId } from "../core/ids.ts";
import { type Caller, type Principal, localOwner, roles } from "../core/principal.ts";
import type { Edge } from "./edge.ts";
import { whyNot } from "./in-process.ts";
import { gatewaySamples, noSuchMessage } from "./gateway-samples.suite.ts";
import { kanbanSamples, noSuchCard } from "./kanban-samples.suite.ts";
import { outputs } from "./outputs.suite.ts";
import { operations } from "./table.ts";
import { workSamples } from "./work-samples.suite.ts";

/** A host with a home of its own on the demo model, and a way to it for anybody. */
export type OperationsWorld = { readonly cwd: string; connect(caller: Caller): Edge };

/** Every operation of the table, over one transport. */
export function operationsSuite(transport: string, open: (t: TestContext) => Promise<OperationsWorld>): void {
  describe(`operations, ${transport}`, () => {
    test("each gives what its schema says, as plain JSON, or says why not", async (t) => {
      const world = await spoken(await open(t));
      for (const name of callable) {
        const said = await answerOf(world.owner, name, samples[name](world as never));
        assert.deepEqual(JSON.parse(JSON.stringify(said.value)), said.value, `${name} is plain JSON`);
        if ("refused" in said) assert.ok(mayRefuse.has(name), `${name}: ${JSON.stringify(said.value)}`);
        else {
          const parsed = outputs[name].safeParse(said.value);
          assert.ok(parsed.success, `${name}: ${parsed.error?.message} in ${JSON.stringify(said.value)}`);
        }
      }
    });

    test("none takes what is not its input", async (t) => {
      const owner = (await open(t)).connect(localOwner("cli"));
      for (const name of callable) {
        for (const wrong of [{ nonsense: 1 }, "words", null]) {
          const { value } = await answerOf(owner, name, wrong);
          assert.equal((value as { code?: string }).code, "usage", `${name} of ${JSON.stringify(wrong)}`);
          assert.match((value as { next: string }).next, /\S/);
        }
      }
      const nobody = await answerOf(owner, "sessions.burn" as OperationName, {});
      assert.equal((nobody.value as { code?: string }).code, "not_found");
    });

    test("whom the table does not name is refused, at this machine and elsewhere", async (t) => {
      const world = await spoken(await open(t));
      for (const operation of operations.filter(({ at }) => at === undefined)) {
        const name = operation.name as OperationName;
        for (const caller of callers) {
          const isRefused = whyNot(operation, caller) !== undefined;
          // What changes something is not tried by everybody who may.
          if (!isRefused && operation.scope !== "read") continue;
          const { value } = await answerOf(world.connect(caller), name, samples[name](world as never));
          const who = `${name} by a ${caller.role}${caller.local ? " here" : ""}`;
          assert.equal((value as { code?: string } | null)?.code === "refused", isRefused, who);
        }
      }
    });

    test("a stream begins with the call, ends when it is left, and hears of the turn meanwhile", async (t) => {
      const world = await open(t);
      const owner = world.connect(localOwner("cli"));
      const left = new AbortController();
      const session = newId("ses", 1);
      const heard: string[] = [];
      const following = (async () => {
        for await (const event of owner.stream("sessions.follow", { session }, left.signal)) {
          const { type } = event as { type: string };
          heard.push(type);
          if (type === "ended") left.abort();
        }
      })();
      await say(owner, world.cwd, session);
      await following;
      assert.deepEqual([heard[0], heard.at(-1)], ["started", "ended"]);
      for await (const step of owner.stream("selftest.run", {})) {
        assert.ok("begins" in (step as object));
        break; // whoever leaves ends it
      }
    });
  });
}

const callable = operations.filter(({ at }) => at === undefined).map(({ name }) => name as OperationName);
const streams = new Set(operations.flatMap(({ name, stream }) => (stream === true ? [name] : [])));

const callers: readonly Principal[] = roles.flatMap((role) =>
  [true, false].map((local) => ({ surface: "test", id: `a ${role}`, role, local })),
);

type Spoken = OperationsWorld & {
  readonly owner: Edge;
  readonly session: SessionId;
  readonly inbox: InboxId;
  readonly turn: TurnId;
};

/** With one turn that has ended. */
async function spoken(world: OperationsWorld): Promise<Spoken> {
  const owner = world.connect(localOwner("cli"));
  const session = newId("ses", 1);
  const { inbox, turn } = await say(owner, world.cwd, session);
  return { ...world, owner, session, inbox, turn };
}

async function say(owner: Edge, cwd: string, id: SessionId): Promise<{ inbox: InboxId; turn: TurnId }> {
  const sent = (await owner.ask("turns.send", message(cwd, id))) as { inbox: InboxId };
  const { turn } = (await owner.ask("turns.wait", { inbox: sent.inbox })) as { turn: TurnId };
  return { inbox: sent.inbox, turn };
}

let messages = 0;
const message = (cwd: string, id: SessionId): InputOf<"turns.send"> => ({
  key: { surface: "cli", account: "", chat: id, messageId: String((messages += 1)) },
  session: { id, cwd, surface: "cli", audience: "owner" },
  input: [{ type: "text", text: "hello" }],
  whenBusy: "queue",
  attended: "none",
});

/** What came back, or the failure as data. Of a stream the first value: then it is left. */
async function answerOf(
  at: Edge,
  name: OperationName,
  input: unknown,
): Promise<{ readonly value: unknown; readonly refused?: true }> {
  const left = new AbortController();
  try {
    if (!streams.has(name)) return { value: await at.ask(name, input) };
    if (name === "sessions.follow") left.abort();
    for await (const value of at.stream(name, input, left.signal)) return { value };
    return { value: null };
  } catch (error) {
    return { value: { ...toFailure(error) }, refused: true };
  }
}

const at = { session: ({ session }: Spoken) => ({ session }), cwd: ({ cwd }: Spoken) => ({ cwd }) };
const none = () => ({});
const unknown = () => ({ id: "nobody" });
const words = () => ({ text: "winged sandals" });

const samples: { readonly [Name in OperationName]: (world: Spoken) => InputOf<Name> } = {
  "turns.send": ({ cwd }) => message(cwd, newId("ses", 2)),
  "turns.wait": ({ inbox }) => ({ inbox }),
  "turns.stop": at.session,
  "turns.undo": ({ session }) => ({ session, turns: 1 }),
  "turns.redo": at.session,
  "sessions.follow": at.session,
  "sessions.catchUp": at.session,
  "sessions.fork": at.session,
  "sessions.compress": ({ session }) => ({ session, asked: { do: "pins" } }),
  "sessions.choose": ({ session }) => ({ session, change: { effort: "low" } }),
  "sessions.context": ({ session, cwd }) => ({ session, cwd }),
  "sessions.refine": at.session,
  "inputs.get": ({ inbox }) => ({ inbox }),
  "inputs.waiting": at.session,
  "inputs.setAside": at.session,
  "inputs.drop": () => ({ inbox: asId<"inb">("inb_nothing") }),
  "inputs.delete": () => ({ inbox: asId<"inb">("inb_nothing") }),
  "processes.list": at.session,
  "processes.end": at.session,
  "tasks.list": at.session,
  "goals.set": ({ session }) => ({ session, text: "Reach it" }),
  "goals.get": at.session,
  "goals.pause": at.session,
  "goals.budget": ({ session }) => ({ session, limit: { turns: 5 } }),
  "goals.add": ({ session }) => ({ session, text: "On the way" }),
  "goals.clear": at.session,
  "goals.resume": at.session,
  "chat.command": ({ cwd }) => ({
    line: "/help",
    chat: { surface: "cli", cwd, choices: {}, attended: "none" },
  }),
  "shell.run": ({ cwd }) => ({ command: "echo here", cwd }),
  "sessions.list": () => ({ limit: 5 }),
  "sessions.get": at.session,
  "sessions.messages": at.session,
  "sessions.turns": at.session,
  "sessions.past": ({ session }) => ({ session, last: 5 }),
  "sessions.count": at.session,
  "sessions.items": ({ turn }) => ({ turn }),
  "sessions.rename": ({ session }) => ({ session, title: "A title" }),
  "sessions.search": () => ({ text: "hello", limit: 5 }),
  "sessions.export": ({ session }) => ({ session, format: "md" }),
  "sessions.delete": () => ({ session: asId<"ses">("ses_nothing") }),
  "prompts.list": () => ({ limit: 5 }),
  "approvals.list": () => ({ limit: 5 }),
  "approvals.get": unknown,
  "approvals.answer": () => ({ approval: asId<"apr">("apr_nothing"), choice: "deny" }),
  "inquiries.reply": () => ({ inquiry: asId<"inq">("inq_nothing") }),
  "approvals.grants": none,
  "approvals.revoke": unknown,
  "approvals.rules": none,
  "events.follow": () => ({ of: "all" }),
  "usage.total": at.session,
  "usage.report": at.session,
  "diff.show": ({ session }) => ({ what: "session", session }),
  "recordings.list": () => ({ limit: 5 }),
  "recordings.replay": () => ({ file: "1" }),
  "learned.list": () => ({ limit: 5 }),
  "learned.show": unknown,
  "learned.approve": unknown,
  "learned.reject": unknown,
  "learned.revert": unknown,
  "learned.forgettable": words,
  "learned.forget": words,
  "learned.forgetForGood": words,
  "learned.unforget": none,
  "learned.history": () => ({ days: 2 }),
  "learned.benefit": none,
  ...kanbanSamples,
  "memory.show": at.cwd,
  "skills.list": at.cwd,
  "skills.read": ({ cwd }) => ({ cwd, name: "nobody" }),
  "host.status": none,
  "runtime.setDefault": () => ({ runtime: "loop" }),
  "runtime.readiness": () => ({ runtime: "loop" }),
  "tools.list": none,
  "tools.switch": () => ({ names: ["todo"], on: true }),
  "mcp.list": none,
  "mcp.approve": () => ({ server: "nobody", tool: "none", mark: "x" }),
  "mcp.restart": () => ({ server: "nobody" }),
  "skills.pin": () => ({ name: "nobody", pinned: true }),
  "skills.trust": ({ cwd }) => ({ folder: cwd }),
  "skills.distrust": ({ cwd }) => ({ folder: cwd }),
  "skills.curate": () => ({ dryRun: true }),
  "skills.uncurate": none,
  "codex.migrate": () => ({ dryRun: true }),
  "codex.plugins": none,
  "keys.add": () => ({ name: "a program", scopes: ["read"] }),
  "keys.list": none,
  "keys.revoke": unknown,
  "devices.add": () => ({ port: 1 }),
  "devices.list": none,
  "devices.revoke": unknown,
  "config.path": none,
  "config.get": () => ({ key: "model.provider" }),
  "config.set": () => ({ key: "display.bell", value: "true" }),
  "config.unset": () => ({ key: "display.bell" }),
  "profiles.list": none,
  "profiles.create": () => ({ name: "another" }),
  ...gatewaySamples,
  ...workSamples,
  "doctor.look": none,
  "selftest.run": none,
  "recordings.read": () => ({ file: "nothing.jsonl" }),
  "codex.program": none,
};

/** Here nothing is there for these, or codex may be missing: then they say so. */
const mayRefuse: ReadonlySet<OperationName> = new Set<OperationName>([
  "inputs.delete",
  "sessions.delete",
  "sessions.refine",
  "approvals.get",
  "approvals.revoke",
  "recordings.replay",
  "recordings.read",
  "learned.show",
  "learned.approve",
  "learned.reject",
  "learned.revert",
  "learned.unforget",
  ...noSuchCard,
  ...noSuchMessage,
  "mcp.approve",
  "mcp.restart",
  "keys.revoke",
  "devices.revoke",
  "skills.pin",
  "skills.trust",
  "skills.distrust",
  "skills.uncurate",
  "codex.migrate",
  "codex.plugins",
  "codex.program",
]);
