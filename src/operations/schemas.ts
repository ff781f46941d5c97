import { z } from "zod";
import type { InputOf, OperationName } from "../core/calls.ts";
import type { Id } from "../core/ids.ts";
import type { Json } from "../core/json.ts";
import { audiences } from "../core/principal.ts";

// What callers elsewhere send is parsed once, with these, where it comes in. In this process the types say the same.
// Loaded when something has come in: zod costs a tenth of a second.

const text = z.string();
const flag = z.boolean();
const count = z.int().positive();
const id = <Name extends string>(prefix: Name): z.ZodType<Id<Name>> =>
  z.string().startsWith(`${prefix}_`) as unknown as z.ZodType<Id<Name>>;
const session = id("ses");
const nothing = z.strictObject({});
const ofSession = z.strictObject({ session });
const byId = z.strictObject({ id: text });
const inFolder = z.strictObject({ cwd: text });
const named = z.strictObject({ text });
const limited = z.strictObject({ limit: count });

const part = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text"), text }),
  z.strictObject({ type: z.literal("image"), name: text, mediaType: text, base64: text }),
]);

const newSession = z.strictObject({
  id: session,
  cwd: text,
  surface: text,
  audience: z.enum(audiences),
  title: text.exactOptional(),
  runtime: text.exactOptional(),
  model: text.exactOptional(),
  effort: text.exactOptional(),
  parent: session.exactOptional(),
});

const choices = z.strictObject({
  runtime: text.exactOptional(),
  model: text.exactOptional(),
  effort: text.exactOptional(),
  cwd: text.exactOptional(),
  outputSchema: (z.json() as z.ZodType<Json>).exactOptional(),
  memory: flag.exactOptional(),
  context: flag.exactOptional(),
  record: flag.exactOptional(),
});

const attended = z.enum(["ask", "none", "all", "yolo"]);
const revision = z.enum(["writing", "active", "proposed", "rejected", "failed"]);

/** What each operation takes. */
export const inputs: { readonly [Name in OperationName]: z.ZodType<InputOf<Name>> } = {
  "turns.send": z.strictObject({
    key: z.strictObject({ surface: text, account: text, chat: text, messageId: text }),
    session: z.union([session, newSession]),
    input: z.array(part).min(1),
    whenBusy: z.enum(["queue", "steer", "refuse"]),
    attended,
    choices: choices.exactOptional(),
    again: id("inb").exactOptional(),
  }),
  "turns.wait": z.strictObject({ inbox: id("inb") }),
  "turns.stop": ofSession,
  "turns.undo": z.strictObject({ session, turns: count }),
  "turns.redo": ofSession,
  "sessions.follow": z.strictObject({
    session,
    by: z.enum(["person", "program"]).exactOptional(),
    elsewhere: flag.exactOptional(),
  }),
  "sessions.catchUp": ofSession,
  "sessions.fork": ofSession,
  "sessions.compress": z.strictObject({
    session,
    asked: z.discriminatedUnion("do", [
      z.strictObject({ do: z.literal("compress"), focus: text.exactOptional() }),
      z.strictObject({ do: z.literal("undo") }),
      z.strictObject({ do: z.literal("pin"), text }),
      z.strictObject({ do: z.literal("unpin"), number: count }),
      z.strictObject({ do: z.literal("pins") }),
    ]),
  }),
  "sessions.choose": z.strictObject({
    session,
    change: choices.pick({ runtime: true, model: true, effort: true }),
  }),
  "sessions.context": z.strictObject({ session: session.exactOptional(), cwd: text }),
  "sessions.refine": ofSession,
  "inputs.waiting": ofSession,
  "inputs.setAside": ofSession,
  "inputs.drop": z.strictObject({ inbox: id("inb") }),
  "processes.list": ofSession,
  "processes.end": z.strictObject({ session, id: text.exactOptional() }),
  "tasks.list": z.strictObject({ session: session.exactOptional() }),
  "chat.command": z.strictObject({
    line: text,
    chat: z.strictObject({
      session: session.exactOptional(),
      title: text.exactOptional(),
      choices,
      attended,
      surface: text,
      cwd: text,
    }),
  }),
  "shell.run": z.strictObject({ command: text, cwd: text }),
  "sessions.list": z.strictObject({
    limit: count,
    cwd: text.exactOptional(),
    parent: session.exactOptional(),
  }),
  "sessions.get": z.strictObject({ session: text }),
  "sessions.messages": ofSession,
  "sessions.turns": z.strictObject({ session, after: id("trn").exactOptional() }),
  "sessions.items": z.strictObject({ turn: id("trn") }),
  "sessions.rename": z.strictObject({ session, title: text }),
  "sessions.search": z.strictObject({
    text,
    limit: count,
    roles: z.array(z.enum(["user", "assistant", "tool"])).exactOptional(),
    session: session.exactOptional(),
    excludeSession: session.exactOptional(),
    sort: z.enum(["best", "newest", "oldest"]).exactOptional(),
  }),
  "sessions.export": z.strictObject({ session, format: z.enum(["jsonl", "md"]) }),
  "sessions.delete": ofSession,
  "prompts.list": limited,
  "approvals.list": z.strictObject({ limit: count, pending: flag.exactOptional() }),
  "approvals.get": byId,
  "approvals.answer": z.strictObject({
    approval: id("apr"),
    choice: z.enum(["once", "session", "always", "deny"]),
  }),
  "inquiries.reply": z.strictObject({ inquiry: id("inq"), answers: z.record(text, text).exactOptional() }),
  "approvals.grants": nothing,
  "approvals.revoke": byId,
  "approvals.rules": nothing,
  "events.follow": z.strictObject({
    of: z.union([z.literal("all"), z.strictObject({ session })]),
    after: text.exactOptional(),
    once: z.literal(true).exactOptional(),
  }),
  "usage.report": z.strictObject({ session: session.exactOptional(), days: count.exactOptional() }),
  "diff.show": z.discriminatedUnion("what", [
    z.strictObject({ what: z.literal("folder"), cwd: text }),
    z.strictObject({ what: z.enum(["turn", "session"]), session }),
  ]),
  "recordings.list": limited,
  "recordings.replay": z.strictObject({ file: text }),
  "learned.list": z.strictObject({
    limit: count,
    since: z.number().exactOptional(),
    states: z.array(revision).exactOptional(),
    kind: z.enum(["memory", "skill"]).exactOptional(),
    file: text.exactOptional(),
  }),
  "learned.show": byId,
  "learned.approve": byId,
  "learned.reject": byId,
  "learned.revert": byId,
  "learned.forgettable": named,
  "learned.forget": named,
  "learned.forgetForGood": named,
  "learned.unforget": z.strictObject({ text: text.exactOptional() }),
  "learned.history": z.strictObject({ days: count }),
  "learned.benefit": nothing,
  "memory.show": inFolder,
  "skills.list": inFolder,
  "skills.read": z.strictObject({ cwd: text, name: text }),
  "host.status": nothing,
  "runtime.setDefault": z.strictObject({ runtime: z.enum(["loop", "codex"]) }),
  "runtime.readiness": z.strictObject({ runtime: text }),
  "tools.list": nothing,
  "tools.switch": z.strictObject({ names: z.array(text), on: flag }),
  "mcp.list": z.strictObject({ server: text.exactOptional() }),
  "mcp.approve": z.strictObject({ server: text, tool: text, mark: text }),
  "mcp.restart": z.strictObject({ server: text }),
  "skills.pin": z.strictObject({ name: text, pinned: flag }),
  "skills.trust": z.strictObject({ folder: text }),
  "skills.distrust": z.strictObject({ folder: text }),
  "skills.curate": z.strictObject({ dryRun: flag }),
  "skills.uncurate": nothing,
  "codex.migrate": z.strictObject({ dryRun: flag.exactOptional(), remove: flag.exactOptional() }),
  "codex.plugins": nothing,
  "config.path": nothing,
  "config.get": z.strictObject({ key: text }),
  "config.set": z.strictObject({ key: text, value: text }),
  "config.unset": z.strictObject({ key: text }),
  "profiles.list": nothing,
  "profiles.create": z.strictObject({ name: text }),
  "doctor.look": z.strictObject({ fix: flag.exactOptional() }),
  "selftest.run": nothing,
  "recordings.read": z.strictObject({ file: text }),
  "codex.program": nothing,
};
