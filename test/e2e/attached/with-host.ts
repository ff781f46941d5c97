import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { systemClock } from "../../../src/lib/clock.ts";

/**
 * Set: whatever a suite starts of the program finds a host that serves its home, started with the same environment. So the suites of
 * the program alone are those of the program attached.
 */
export const isAttached = (process.env["TALARIA_TEST_ATTACHED"] ?? "") !== "";

/** A test of what is different with a host by design, in the way that `why` says: there it is none. */
export function testAlone(why: string, name: string, run: (t: TestContext) => Promise<void>): void {
  assert.ok(why);
  if (!isAttached) test(name, run);
}

/** What a host that lets turns go on is for. */
export const goesOn = "with a host the turn goes on";

/** Ends the host, if there was one. */
type WithHost = AsyncDisposable & { readonly program: string };

/** The program, before which a host is started. Another environment, other settings: another host. */
export async function withHost(program: string, folder: string): Promise<WithHost> {
  const script = join(folder, "with-host");
  const pids = join(folder, "host-pids");
  await writeFile(script, startsHost(program, folder, pids), { mode: 0o755 });
  return {
    program: script,
    async [Symbol.asyncDispose]() {
      const text = await readFile(pids, "utf8").catch(() => "");
      for (const pid of text.split("\n").filter(Boolean).map(Number)) await end(pid);
    },
  };
}

/** Words that begin a command that attaches; no word is a chat. */
const attaching = "''|run|acp|mcp|-c|--continue|-r|--resume|--plain";

const startsHost = (program: string, folder: string, pids: string): string => `#!/bin/sh
case "\${1-}" in ${attaching}) ;; *) exec '${program}' "$@" ;; esac
home="\${TALARIA_HOME:-$HOME/.talaria}"
what=$({ env | grep -v '^\\(PWD\\|OLDPWD\\|_\\|SHLVL\\|WHERE\\|TERM\\|COLORTERM\\)='; cat "$home/config.yaml" "$home/.env"; } 2> /dev/null | cksum)
mark='${folder}/host-mark'
if [ "$what" != "$(cat "$mark" 2> /dev/null)" ]; then
  host=$(tail -n 1 '${pids}' 2> /dev/null)
  if [ -n "$host" ] && kill -TERM "$host" 2> /dev/null; then tail -f --pid="$host" /dev/null; fi
  log='${folder}/host-log'
  : > "$log"
  setsid sh -c '"$0" serve; echo "no \\"event\\":\\"serving\\""' '${program}' > "$log" 2>&1 < /dev/null &
  tail -n +1 -f "$log" 2> /dev/null | grep -q -m 1 '"event":"serving"'
  sed -n 's/.*"event":"serving".*"pid":\\([0-9]*\\).*/\\1/p' "$log" >> '${pids}'
  printf %s "$what" > "$mark"
fi
exec '${program}' "$@"
`;

async function end(pid: number): Promise<void> {
  const tell = (signal: NodeJS.Signals | 0): boolean => {
    try {
      return process.kill(pid, signal);
    } catch {
      return false;
    }
  };
  tell("SIGTERM");
  for (let waits = 0; tell(0); waits += 1) {
    // Twice: at once. What does not end then is no host that a test could wait for.
    if (waits === 25) tell("SIGTERM");
    if (waits === 500) tell("SIGKILL");
    await systemClock.sleep(20);
  }
}
