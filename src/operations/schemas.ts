import { z } from "zod";
import { type Workspace, blockKinds, cardStates } from "../core/cards/cards.ts";
import type { InputOf, OperationName } from "../core/calls.ts";
import type { Id } from "../core/ids.ts";
import type { Json } from "../core/json.ts";
import { audiences, scopes } from "../core/principal.ts";
import { platforms } from "../core/gateway/chat.ts";
import { type Target, catchUps, isTarget, overlaps } from "../core/work/work.ts";

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

const saysSomething = (one: z.infer<typeof part>): boolean => one.type === "image" || one.text.trim() !== "";

const newSession = z.strictObject({
  id: session,
  cwd: text.exactOptional(),
  surface: text.exactOptional(),
  audience: z.enum(audiences).exactOptional(),
  title: text.exactOptional(),
  runtime: text.exactOptional(),
  model: text.exactOptional(),
  effort: text.exactOptional(),
  parent: session.exactOptional(),
  mark: z.enum(["ephemeral", "hidden"]).exactOptional(),
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
  tools: z.literal(false).exactOptional(),
});

const card = z.strictObject({ card: text });
const workspace = z.union([
  z.literal("scratch"),
  z.string().regex(/^(folder|worktree):./),
]) as unknown as z.ZodType<Workspace>;

const attended = z.enum(["ask", "none", "all", "yolo"]);
const revision = z.enum(["writing", "active", "proposed", "rejected", "failed"]);

const limit = z.strictObject({
  tokens: count.exactOptional(),
  usd: z.number().positive().exactOptional(),
});
const target = z
  .string()
  .refine(isTarget, "local, notify or a chat such as telegram:12345") as unknown as z.ZodType<Target>;
const personRole = z.enum(["owner", "member", "guest"]);
const job = {
  name: text.exactOptional(),
  cwd: text.exactOptional(),
  runtime: text.exactOptional(),
  model: text.exactOptional(),
  budget: limit.exactOptional(),
  deliver: target.exactOptional(),
  failures: target.exactOptional(),
  zone: text.exactOptional(),
  catchUp: z.enum(catchUps).exactOptional(),
  overlap: z.enum(overlaps).exactOptional(),
  jitter: text.exactOptional(),
  allow: z.array(text).max(20).exactOptional(),
  maySchedule: count.exactOptional(),
  script: text.exactOptional(),
  skills: z.array(text).max(5).exactOptional(),
};
const schedule = z.strictObject({ when: text, text, ...job, tryNow: flag.exactOptional() });
const changedSchedule = z.strictObject({ when: text.exactOptional(), text: text.exactOptional(), ...job });
const batchLine = z.strictObject({
  batch: z.string().regex(/^bat_[0-9a-f]{20}$/),
  line: count,
  text,
  title: text,
  cwd: text,
  runtime: text.exactOptional(),
  model: text.exactOptional(),
  budget: limit.exactOptional(),
  total: limit.exactOptional(),
  again: flag.exactOptional(),
});
const goalLimit = z.strictObject({
  turns: count.exactOptional(),
  usd: z.number().positive().exactOptional(),
  tokens: count.exactOptional(),
});

/** What each operation takes. */
export const inputs: { readonly [Name in OperationName]: z.ZodType<InputOf<Name>> } = {
  "turns.send": z.strictObject({
    key: z.strictObject({ surface: text.exactOptional(), account: text, chat: text, messageId: text }),
    session: z.union([session, newSession]),
    input: z.array(part).refine((parts) => parts.some(saysSomething), "it says nothing"),
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
  "sessions.fork": z.strictObject({ session, upTo: id("trn").exactOptional() }),
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
  "inputs.get": z.strictObject({ inbox: id("inb") }),
  "inputs.waiting": ofSession,
  "inputs.setAside": ofSession,
  "inputs.drop": z.strictObject({ inbox: id("inb") }),
  "inputs.delete": z.strictObject({ inbox: id("inb") }),
  "processes.list": ofSession,
  "processes.end": z.strictObject({ session, id: text.exactOptional() }),
  "tasks.list": z.strictObject({ session: session.exactOptional() }),
  "goals.set": z.strictObject({
    session: z.union([session, newSession]),
    text,
    check: text.exactOptional(),
    limit: goalLimit.exactOptional(),
  }),
  "goals.get": ofSession,
  "goals.pause": ofSession,
  "goals.resume": ofSession,
  "goals.clear": ofSession,
  "goals.budget": z.strictObject({ session, limit: goalLimit }),
  "goals.add": z.strictObject({ session, text }),
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
  "sessions.messages": z.strictObject({ session, last: count.exactOptional() }),
  "sessions.turns": z.strictObject({
    session,
    after: id("trn").exactOptional(),
    last: count.exactOptional(),
  }),
  "sessions.past": z.union([
    z.strictObject({ session, last: count }),
    z.strictObject({ session, turns: z.array(id("trn")).max(1000) }),
  ]),
  "sessions.count": ofSession,
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
    approval: z.string().regex(/^(?:apr_)?[0-9a-z_]{6,}$/) as unknown as z.ZodType<Id<"apr">>,
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
  "usage.total": ofSession,
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
  "kanban.add": z.strictObject({
    title: text,
    body: text.exactOptional(),
    board: text.exactOptional(),
    workspace: workspace.exactOptional(),
    runtime: text.exactOptional(),
    model: text.exactOptional(),
    priority: z.int().exactOptional(),
    parents: z.array(text).max(100).exactOptional(),
    triage: flag.exactOptional(),
    cwd: text.exactOptional(),
    check: text.exactOptional(),
    allow: z.array(text).max(20).exactOptional(),
  }),
  "kanban.workspaces": z.strictObject({ remove: flag.exactOptional() }),
  "kanban.list": z.strictObject({
    board: text.exactOptional(),
    states: z.array(z.enum(cardStates)).exactOptional(),
    limit: count,
  }),
  "kanban.show": card,
  "kanban.comment": z.strictObject({ card: text, text }),
  "kanban.link": z.strictObject({ card: text, parent: text }),
  "kanban.unlink": z.strictObject({ card: text, parent: text }),
  "kanban.ready": card,
  "kanban.block": z.strictObject({
    card: text,
    kind: z.enum(blockKinds),
    reason: text,
    until: z.int().exactOptional(),
    parent: text.exactOptional(),
  }),
  "kanban.unblock": card,
  "kanban.complete": z.strictObject({ card: text, summary: text }),
  "kanban.archive": card,
  "kanban.reopen": card,
  "kanban.boards": nothing,
  "kanban.runs": z.strictObject({ card: text.exactOptional(), limit: count }),
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
  "keys.add": z.strictObject({
    name: text,
    scopes: z.array(z.enum(scopes)),
    budget: limit.exactOptional(),
  }),
  "keys.list": nothing,
  "keys.revoke": byId,
  "devices.add": z.strictObject({ name: text.exactOptional(), port: count.exactOptional() }),
  "devices.list": nothing,
  "devices.revoke": byId,
  "config.path": nothing,
  "config.get": z.strictObject({ key: text }),
  "config.set": z.strictObject({ key: text, value: text }),
  "config.unset": z.strictObject({ key: text }),
  "profiles.list": nothing,
  "profiles.create": z.strictObject({ name: text }),
  "cron.add": schedule,
  "cron.list": nothing,
  "cron.edit": z.strictObject({ id: text, change: changedSchedule }),
  "cron.pause": byId,
  "cron.resume": byId,
  "cron.run": byId,
  "cron.remove": byId,
  "cron.runs": z.strictObject({ id: text.exactOptional(), limit: count }),
  "work.pause": nothing,
  "work.resume": nothing,
  "work.status": nothing,
  "batch.line": batchLine,
  "why.explain": byId,
  "gateway.status": nothing,
  "gateway.people": nothing,
  "gateway.pair": z.strictObject({ code: text, role: personRole.exactOptional() }),
  "gateway.allow": z.strictObject({
    who: text,
    role: personRole.exactOptional(),
    name: text.exactOptional(),
  }),
  "gateway.revoke": z.strictObject({ who: text }),
  "gateway.test": z.strictObject({ surface: z.enum(platforms).exactOptional() }),
  "gateway.resend": byId,
  "doctor.look": z.strictObject({ fix: flag.exactOptional() }),
  "selftest.run": nothing,
  "recordings.read": z.strictObject({ file: text }),
  "codex.program": nothing,
};
