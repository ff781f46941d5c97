import { homedir } from "node:os";
import { isAbsolute } from "node:path";
import type { Clock } from "../../lib/clock.ts";
import { runCommand } from "../../lib/process/command.ts";
import { type Variables, setVariables } from "../../lib/process/variables.ts";

/** What a service is started without, and what turns that nobody attends may see. */
const wanted: ReadonlySet<string> = new Set(
  [
    ["PATH", "LANG", "LANGUAGE", "TZ", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"],
    ["CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "GIT_SSL_CAINFO", "SSH_AUTH_SOCK"],
  ].flat(),
);

const patienceMs = 5000;

/**
 * Our environment, with what a login shell of the person has and a service lacks: asked once, when a host begins to stay. Whoever
 * starts it in a terminal has all of it already. A shell that does not answer leaves it as it is, and `tell` says so.
 */
export async function loginEnvironment(
  env: Variables,
  clock: Clock,
  tell: (line: string) => void,
): Promise<Variables> {
  const shell = env["SHELL"] ?? "/bin/sh";
  if (!isAbsolute(shell)) return env;
  try {
    const said = await printed(shell, env, clock);
    const entries = said.split("\0").map((line) => [line.slice(0, line.indexOf("=")), line] as const);
    const found = entries.flatMap(([name, line]) =>
      wanted.has(name) || name.startsWith("LC_") ? [[name, line.slice(name.length + 1)] as const] : [],
    );
    return { ...env, ...Object.fromEntries(found) };
  } catch (error) {
    tell(`the login shell ${shell} did not say its environment: ${(error as Error).message}`);
    return env;
  }
}

/** With a mark before it: a profile may greet. */
async function printed(shell: string, env: Variables, clock: Clock): Promise<string> {
  const { stdout, timedOut } = await runCommand({
    command: shell,
    args: ["-l", "-c", "printf '\\0talaria\\0'; exec env -0"],
    cwd: homedir(),
    env: setVariables(env),
    clock,
    signal: new AbortController().signal,
    timeoutMs: patienceMs,
  });
  const at = stdout.indexOf(mark);
  if (at >= 0 && !timedOut) return stdout.slice(at + mark.length);
  throw new Error(timedOut ? "it took too long" : "it said nothing that could be read");
}

const mark = "\0talaria\0";
