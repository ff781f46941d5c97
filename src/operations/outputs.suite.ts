import { z } from "zod";
import { workOutputs } from "./work-samples.suite.ts";
import type { OperationName } from "../core/calls.ts";
import { gatewayOutputs } from "./gateway-samples.suite.ts";
import { kanbanOutputs } from "./kanban-samples.suite.ts";

const text = z.string();
const texts = z.array(text);
const number = z.number();
const flag = z.boolean();
const row = (fields: z.core.$ZodLooseShape) => z.looseObject(fields);
const rows = (fields: z.core.$ZodLooseShape) => z.array(row(fields));
const sessionRow = {
  id: text,
  cwd: text,
  surface: text,
  audience: text,
  createdAt: number,
  updatedAt: number,
};
const undone = row({ turns: rows({ id: text, input: z.array(row({ type: text })) }), changes: number });
const stored = rows({ id: text, session: text, input: z.array(row({ type: text })), receivedAt: number });
const answered = row({ outcome: z.enum(["taken", "late", "refused", "unknown"]) });
const approvalRow = { id: text, session: text, state: text, shown: texts, askedAt: number };
const grantRow = { id: text, scope: text, summary: text };
const revisionRow = { id: text, at: number, kind: text, file: text, summary: text, state: text };
const running = rows({ id: text, command: text, since: number });
const skillRows = rows({
  name: text,
  description: text,
  source: text,
  state: text,
  pinned: flag,
  uses: number,
});
const keyRow = { id: text, name: text, scopes: texts, createdAt: number };
const forgotten = { files: texts, revisions: number, left: texts };
const goalRow = { id: text, session: text, text, state: text, limit: row({ turns: number }) };
const done = z.null();

/** What each operation gives, at least. */
export const outputs: Readonly<Record<OperationName, z.ZodType>> = {
  "turns.send": z.strictObject({ session: text, inbox: text, state: text }),
  "turns.wait": row({ type: z.literal("ended"), turn: text, outcome: text, text }),
  "turns.stop": z.strictObject({ interrupted: flag, setAside: number, ended: running }),
  "turns.undo": undone,
  "turns.redo": undone,
  "sessions.follow": done,
  "sessions.catchUp": done,
  "sessions.fork": row(sessionRow),
  "sessions.compress": text,
  "sessions.choose": done,
  "sessions.context": row({ runtime: text, lines: rows({ name: text, tokens: number }) }),
  "sessions.refine": text,
  "inputs.get": row({
    id: text,
    session: text,
    state: text,
    ran: row({ id: text, state: text }),
    asks: rows({}),
  }),
  "inputs.waiting": stored,
  "inputs.setAside": stored,
  "inputs.drop": flag,
  "inputs.delete": done,
  "processes.list": running,
  "processes.end": running,
  "tasks.list": rows({ number, session: text, goal: text }),
  "goals.set": row(goalRow),
  "goals.get": row({ ...goalRow, steps: rows({}), spent: row({ tokens: number, usd: number }) }),
  "goals.pause": row(goalRow),
  "goals.budget": row(goalRow),
  "goals.add": row(goalRow),
  "goals.clear": row(goalRow),
  "goals.resume": row(goalRow),
  "chat.command": row({ text }),
  "shell.run": z.strictObject({ text: z.literal("here\n") }),
  "sessions.list": rows(sessionRow),
  "sessions.get": row(sessionRow),
  "sessions.messages": rows({ seq: number, turn: text, at: number, message: row({ role: text }) }),
  "sessions.turns": rows({ id: text, session: text, runtime: text, state: text, startedAt: number }),
  "sessions.past": row({ earlier: number, turns: rows({ turn: row({ id: text }), parts: rows({}) }) }),
  "sessions.count": row({ turns: number, messages: number, takenBack: number }),
  "sessions.items": rows({ id: text, kind: text }),
  "sessions.rename": done,
  "sessions.search": rows({ session: text, turn: text, seq: number, role: text, snippet: text }),
  "sessions.export": text,
  "sessions.delete": done,
  "prompts.list": texts,
  "approvals.list": rows(approvalRow),
  "approvals.get": row(approvalRow),
  "approvals.answer": answered,
  "inquiries.reply": answered,
  "approvals.grants": rows(grantRow),
  "approvals.revoke": row(grantRow),
  "approvals.rules": texts.min(1),
  "events.follow": row({ type: z.literal("resume"), resume: z.enum(["ok", "gap"]), cursor: text }),
  "usage.total": row({ rows: number, input: number }),
  "usage.report": row({ total: row({ rows: number, input: number }), days: rows({ name: text }) }),
  "diff.show": row({ text }),
  "recordings.list": rows({ file: text, at: number }),
  "recordings.replay": texts,
  "learned.list": rows(revisionRow),
  "learned.show": row({ ...revisionRow, diff: text }),
  "learned.approve": row(revisionRow),
  "learned.reject": row(revisionRow),
  "learned.revert": row(revisionRow),
  "learned.forgettable": row({ files: rows({ file: text }), revisions: number }),
  "learned.forget": row({ ...forgotten, until: number }),
  "learned.forgetForGood": row(forgotten),
  "learned.unforget": row({ text, files: texts, left: texts }),
  "learned.history": rows({ day: text, learned: number, used: number }),
  "learned.benefit": rows({ kind: text, name: text, uses: number }),
  ...kanbanOutputs,
  "memory.show": rows({ file: text, target: text, chars: number, limit: number }),
  "skills.list": skillRows,
  "skills.read": text.nullable(),
  "host.status": row({ version: text, home: text, model: text, runtime: text, warnings: texts }),
  "runtime.setDefault": done,
  "runtime.readiness": row({ ok: flag }),
  "tools.list": rows({ name: text, toolset: text, about: text, off: flag }),
  "tools.switch": row({ changed: texts, file: text, ignoredByCodex: texts }),
  "mcp.list": rows({ name: text, state: text }),
  "mcp.approve": done,
  "mcp.restart": row({ name: text, state: text }),
  "skills.pin": done,
  "skills.trust": skillRows,
  "skills.distrust": text,
  "skills.curate": texts,
  "skills.uncurate": texts,
  "codex.migrate": row({ file: text, diff: text, written: flag }),
  "codex.plugins": texts,
  "keys.add": row({ ...keyRow, key: text }),
  "keys.list": rows(keyRow),
  "keys.revoke": row(keyRow),
  "devices.add": z.strictObject({ url: text, until: number, device: text }),
  "devices.list": rows(keyRow),
  "devices.revoke": row(keyRow),
  "config.path": text,
  "config.get": text.nullable(),
  "config.set": texts,
  "config.unset": flag,
  "profiles.list": texts.min(1),
  "profiles.create": text,
  ...gatewayOutputs,
  ...workOutputs,
  "doctor.look": row({ check: row({ name: text, ok: flag, detail: text }) }),
  "selftest.run": row({ begins: text }),
  "recordings.read": row({ events: z.array(row({ type: text })), summary: text }),
  "codex.program": row({ path: text, env: z.record(text, text) }),
};
