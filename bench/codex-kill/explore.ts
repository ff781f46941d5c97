import { mkdtemp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { tmpdir } from "node:os";
import { parseDemoScript } from "../../src/models/demo/script.ts";
import { startDemoModel } from "../../src/models/demo/server.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { newId } from "../../src/core/ids.ts";
import { pinnedCodex, privateHome } from "../../test/codex-schema/pinned-codex.ts";
import { openScene } from "./scene.ts";
const folder = await mkdtemp(join(tmpdir(), "ck-"));
const t0 = performance.now();
const ms = () => Math.round(performance.now() - t0);
await using ch = await privateHome();
const run = (cmd: string, more: object = {}) => ({ call: { tool: "exec_command", args: { cmd, ...more } } });
await using model = await startDemoModel({ clock: systemClock, script: parseDemoScript({ steps: [
  { when: "first", reply: [{ text: "first answer" }] },
  { when: "run", reply: [{ reasoning: { summary: "thinking about it" } }, { text: "I look first.", phase: "commentary" }, run("cat notes.txt")] },
  { when: "run", reply: [run("echo ran >> tripwire.txt; sleep 0.05; echo done", { sandbox_permissions: "require_escalated", justification: "May I?" })] },
  { when: "run", reply: [{ text: "All of it is done now.", chunks: 6 }] },
  { when: "next", reply: [{ text: "next answer" }] },
] }) });
const job = { home: join(folder, "home"), cwd: join(folder, "work"), codexHome: ch.path, binary: pinnedCodex(), model: model.url, inputs: [], marker: "CK_1" };
await mkdir(job.home, { mode: 0o700 }); await mkdir(job.cwd);
let n = 0;
{
await using host = await openScene(job as never, (frame: any, pid) => console.log(ms(), ++n, frame.method ?? "reply", frame.id ?? "", frame.params?.item?.type ?? "", frame.params?.status?.type ?? "", JSON.stringify(frame.params?.item?.id ?? "")));
const id = newId("ses", systemClock.now());
host.subscribe(id, (e: any) => console.log(ms(), "   ", e.type, e.item?.kind ?? "", e.outcome ?? "", e.fault?.message ?? "", e.text ?? ""));
let first = true;
for (const text of ["first words", "run it", "next words"]) {
  const sent = await host.send({ key: { surface: "cli", account: "", chat: "c", messageId: text }, session: first ? { id, cwd: job.cwd, surface: "cli" } : id, input: [{ type: "text", text }], whenBusy: "queue", attended: "all", choices: { runtime: "codex" } });
  first = false;
  await sent.ended;
}
}
console.log(ms(), "closed");
