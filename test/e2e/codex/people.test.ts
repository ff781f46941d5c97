import assert from "node:assert/strict";
import { access, appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { EndedEnvelope, Envelope } from "../../../src/core/events.ts";
import type { Attended, Host } from "../../../src/core/host.ts";
import { newId } from "../../../src/core/ids.ts";
import { type Audience, type Principal, localOwner } from "../../../src/core/principal.ts";
import { openHost } from "../../../src/host/index.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { asOwner, sendAs } from "../../owners-host.ts";
import { says } from "../endpoint.ts";
import { type CodexTalaria, runs, talariaOnCodex } from "./codex-talaria.ts";

const bob: Principal = { surface: "telegram", id: "77", role: "member", local: false };

describe("people who are not the owner, on codex", { concurrency: 2 }, () => {
  test("a member's deletion is the owner's to allow, and nobody allows it beforehand", async () => {
    await using it = await talariaOnCodex([
      { reply: [runs("rm -f keep.txt")] },
      says("Not yet."),
      { reply: [runs("rm -f keep.txt")] },
      says("Gone."),
    ]);
    await using host = await opened(it);
    const keep = join(it.cwd, "keep.txt");
    await writeFile(keep, "keep me\n");
    const first = await say(host, bob, "members", "all");
    assert.deepEqual([first?.outcome, first?.text], ["done", "Not yet."]);
    await access(keep);
    const outcomes: string[] = [];
    const answer = async (event: Envelope): Promise<void> => {
      if (event.type !== "approval" || event.approval.decision !== undefined) return;
      for (const by of [bob, localOwner("cli")])
        outcomes.push(
          (await host.as(by).call("approvals.answer", { approval: event.approval.id, choice: "once" }))
            .outcome,
        );
    };
    const second = await say(host, bob, "members", "ask", (event) => void answer(event));
    assert.deepEqual([second?.text, outcomes], ["Gone.", ["refused", "taken"]]);
    await assert.rejects(access(keep));
    const rows = await asOwner(host).call("approvals.list", { limit: 5 });
    assert.deepEqual(
      rows.map(({ asker, runtime, why }) => [asker.id, runtime, why]),
      [
        ["77", "codex", "person"],
        ["77", "codex", "not_asked"],
      ],
    );
  });

  test("a member's commands see neither the terminal's variables nor the tools that are the owner's alone", async () => {
    await using it = await talariaOnCodex([{ reply: [runs("echo mark=$OWL_MARK")] }, says("Seen.")]);
    await using host = await opened(it, { OWL_MARK: "of-the-terminal" });
    const outputs: string[] = [];
    const hear = (event: Envelope): void => {
      if (event.type === "item" && event.item.kind === "call") outputs.push(event.item.output);
    };
    assert.equal((await say(host, bob, "members", "ask", hear))?.text, "Seen.");
    assert.match(outputs.join("\n"), /mark=$/m);
    const asked = JSON.stringify(it.model.requests[0]?.body);
    assert.ok(
      asked.includes('"todo"') && !asked.includes("session_search") && !asked.includes("skill_manage"),
    );
  });

  test("a guest is refused it, and codex hears nothing of them", async () => {
    await using it = await talariaOnCodex([]);
    await using host = await opened(it);
    const gus: Principal = { ...bob, id: "99", role: "guest" };
    const chosen = say(host, gus, "guests", "ask", undefined, { runtime: "codex" });
    await assert.rejects(chosen, /Only the owner chooses the runtime of a session/);
    assert.deepEqual([await asOwner(host).call("sessions.list", { limit: 5 }), it.model.requests], [[], []]);
  });
});

/** New sessions of others run where and on what the owner has set for them. */
async function opened(it: CodexTalaria, env: Readonly<Record<string, string>> = {}): Promise<Host> {
  await appendFile(join(it.home, "config.yaml"), `\nterminal: { cwd: ${JSON.stringify(it.cwd)} }\n`);
  const own = { PATH: process.env["PATH"], HOME: it.folder, TALARIA_HOME: it.home, TALARIA_RUNTIME: "codex" };
  const host = await openHost({
    env: { ...own, ...it.env, ...env },
    homeDir: it.folder,
    cwd: it.cwd,
    version: "0.0.0",
  });
  await host.gateway.people.allow({ surface: "telegram", id: bob.id, role: "member" }, 1);
  return host;
}

let messages = 0;

async function say(
  host: Host,
  from: Principal,
  audience: Audience,
  attended: Attended,
  hear: (event: Envelope) => void = () => {},
  choice: { readonly runtime?: string } = {},
): Promise<EndedEnvelope | undefined> {
  const id = newId("ses", systemClock.now());
  const stop = host.subscribe(id, hear);
  try {
    const sent = await sendAs(host, from, {
      key: { surface: from.surface, account: "", chat: id, messageId: String((messages += 1)) },
      session: { id, surface: from.surface, audience, ...choice },
      input: [{ type: "text", text: "go" }],
      whenBusy: "refuse",
      attended,
    });
    return await sent.ended;
  } finally {
    stop();
  }
}
