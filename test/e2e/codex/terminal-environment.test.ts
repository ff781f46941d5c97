import assert from "node:assert/strict";
import { appendFile, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { Attended, Host } from "../../../src/core/host.ts";
import { newId } from "../../../src/core/ids.ts";
import { openHost } from "../../../src/host/index.ts";
import { canary, developerEnvironments } from "../../../src/lib/process/developer-environments.suite.ts";
import { type CodexTalaria, runs, talariaOnCodex } from "./codex-talaria.ts";
import { send } from "../../owners-host.ts";

const look = "env -0 > seen.txt; env";

/** What runtimes and shells add to the environment of a command. */
const added = [
  ["PATH", "HOME", "TMPDIR", "TERM", "SHLVL", "PWD", "OLDPWD", "_", "NO_PROXY", "RUST_LOG"],
  ["NO_COLOR", "PAGER", "GIT_PAGER", "GH_PAGER", "LC_ALL", "LC_CTYPE", "COLORTERM", "LANG"],
].flat();

/** What commands of a turn see that nobody attends. */
const listed = /^(?:USER|LOGNAME|SHELL|LANG|TZ|XDG_.*|LC_.*)$/;

const ways = [
  { runtime: "loop", model: "gpt-5.5", call: { call: { tool: "terminal", args: { command: look } } } },
  { runtime: "codex", model: "gpt-5.5", call: runs(look) },
  {
    runtime: "codex",
    model: "gpt-6.1-sol",
    call: {
      custom: {
        tool: "exec",
        input: `text(JSON.stringify(await tools.exec_command({ cmd: ${JSON.stringify(look)} })));`,
      },
    },
  },
] as const;

describe("commands see the terminal of whoever attends the turn, without secrets, and a short list when nobody does", () => {
  for (const [index, { name, seen, kept }] of developerEnvironments.entries())
    for (const { runtime, model, call } of ways.filter((_, way) => way !== 1 + (index % 2))) {
      const fence = index < 3 ? "auto" : "unrestricted";
      test(`${name}, ${runtime}, ${model}, ${fence}`, async () => {
        const steps = [1, 2, 3].flatMap(() => [{ reply: [call] }, { reply: [{ text: "Seen." }] }]);
        await using it = await talariaOnCodex(steps);
        await appendFile(join(it.home, "config.yaml"), `terminal: { security_mode: ${fence} }\n`);
        await using host = await hostIn(it, { ...kept, ...seen });
        const session = { id: newId("ses", 1), cwd: it.cwd, surface: "cli", audience: "owner" as const };
        // A thread that codex has in hand would keep what it was started with.
        for (const attended of ["all", "none", "all"] as const) {
          const there = await commandSees(host, it, session, { attended, runtime, model });
          const own = Object.entries(there).filter(([variable]) => !added.includes(variable));
          const wanted = Object.entries(seen).filter(
            ([variable]) => !added.includes(variable) && (attended === "all" || isListed(variable, runtime)),
          );
          assert.deepEqual(Object.fromEntries(own), Object.fromEntries(wanted), `attended: ${attended}`);
          assert.doesNotMatch(JSON.stringify(there), canary);
        }
        assert.doesNotMatch(JSON.stringify(it.model.requests), canary, "nor does a model");
      });
    }
});

const isListed = (name: string, runtime: string): boolean =>
  listed.test(name) && !(runtime === "codex" && name === "TZ");

type Session = {
  readonly id: ReturnType<typeof newId<"ses">>;
  readonly cwd: string;
  readonly surface: string;
  readonly audience: "owner";
};
type How = { readonly attended: Attended; readonly runtime: string; readonly model: string };

let messages = 0;

async function commandSees(
  host: Host,
  it: CodexTalaria,
  session: Session,
  { attended, ...choices }: How,
): Promise<Readonly<Record<string, string>>> {
  const file = join(it.cwd, "seen.txt");
  await rm(file, { force: true });
  const sent = await send(host, {
    key: { surface: "cli", account: "", chat: session.id, messageId: String(messages++) },
    session,
    input: [{ type: "text", text: "look" }],
    whenBusy: "queue",
    attended,
    choices,
  });
  assert.partialDeepStrictEqual(await sent.ended, { outcome: "done", text: "Seen." });
  const lines = (await readFile(file, "utf8")).split("\0").filter((line) => line !== "");
  return Object.fromEntries(
    lines
      .map((line): [string, string] => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)])
      .filter(([variable]) => !/^(?:TALARIA_CHILD|CODEX_)/.test(variable)),
  );
}

const hostIn = (it: CodexTalaria, env: Readonly<Record<string, string>>): Promise<Host> =>
  openHost({
    env: {
      ...env,
      PATH: process.env["PATH"],
      HOME: it.folder,
      TALARIA_HOME: it.home,
      NO_PROXY: "127.0.0.1",
      ...it.env,
    },
    homeDir: it.folder,
    cwd: it.cwd,
    version: "test",
  });
