import { appendFileSync, existsSync, readFileSync, write } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { systemClock } from "../../../src/lib/clock.ts";
import { readCodexSchema } from "../../codex-schema/codex-schema.ts";
import { fakeAppServer } from "./app-server.ts";
import { folderHome } from "./home.ts";
import { parseScript, type FakeScript } from "./script.ts";

/**
 * The fake as a program: `fake-codex --version` and `fake-codex app-server [-c key=value]…`. The script is in the file
 * FAKE_CODEX_SCRIPT, else in `fake-codex.json` in CODEX_HOME, else empty. FAKE_CODEX_LOG gets a line per frame,
 * FAKE_CODEX_SCHEMA is the schema to judge the client by; the script may name both.
 */
const [command = "", ...args] = process.argv.slice(2);
const home = process.env["CODEX_HOME"] ?? join(process.env["HOME"] ?? "/", ".codex");
const scriptFile = process.env["FAKE_CODEX_SCRIPT"] ?? join(home, "fake-codex.json");

if (command === "--version") {
  process.stdout.write(`codex-cli ${readScript().version}\n`);
} else if (command === "app-server") {
  await serve(readScript());
} else {
  process.stderr.write(`error: unrecognized subcommand '${command}'\n`);
  process.exitCode = 2;
}

function readScript(): FakeScript {
  const needed = process.env["FAKE_CODEX_SCRIPT"] !== undefined;
  if (!needed && !existsSync(scriptFile)) return parseScript({});
  try {
    return parseScript(JSON.parse(readFileSync(scriptFile, "utf8")));
  } catch (error) {
    process.stderr.write(`fake-codex: ${scriptFile}: ${(error as Error).message}\n`);
    process.exit(98);
  }
}

async function serve(script: FakeScript): Promise<void> {
  const log = process.env["FAKE_CODEX_LOG"] ?? beside(script.log);
  const schema = process.env["FAKE_CODEX_SCHEMA"] ?? beside(script.schema);
  const toLog = (line: object): void => {
    if (log !== undefined) appendFileSync(log, `${JSON.stringify(line)}\n`);
  };
  toLog({
    ms: 0,
    dir: "note",
    msg: { argv: process.argv.slice(2), pid: process.pid, env: Object.keys(process.env).toSorted() },
  });
  const { ended, violations } = fakeAppServer(script, {
    input: process.stdin,
    output: toFile(1),
    stderr: toFile(2),
    signal: (name) => process.kill(process.pid, name),
    home: folderHome(home),
    clock: systemClock,
    log: toLog,
    settings: settings(args),
    ...(schema === undefined ? {} : { schema: readCodexSchema(schema) }),
  });
  process.on("SIGTERM", () => process.exit(violations.length > 0 ? 97 : 0));
  void systemClock.sleep(2 ** 31 - 1, undefined, { hold: true }); // a process that reads nothing more must not end by itself
  const { code } = await ended;
  process.exit(code ?? 1);
}

function beside(path: string | undefined): string | undefined {
  return path === undefined ? undefined : resolve(dirname(scriptFile), path);
}

/** A worker thread writes: a client that does not read must not hold up this one. */
function toFile(fd: number): (bytes: Uint8Array) => Promise<void> {
  const some = promisify(write);
  return async (bytes) => {
    for (let at = 0; at < bytes.length;) at += (await some(fd, bytes, at)).bytesWritten;
  };
}

/** `-c key="value"`, as far as the fake cares: strings. */
function settings(argv: readonly string[]): Readonly<Record<string, string>> {
  const given = argv.flatMap((arg, at) =>
    argv[at - 1] === "-c" || argv[at - 1] === "--config" ? [arg] : [],
  );
  return Object.fromEntries(
    given.map((setting) => {
      const [key = "", ...value] = setting.split("=");
      return [
        key.trim(),
        value
          .join("=")
          .trim()
          .replace(/^"(.*)"$/, "$1"),
      ];
    }),
  );
}
