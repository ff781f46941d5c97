import { mkdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, isAbsolute } from "node:path";
import type { Readable, Writable } from "node:stream";
import { Refusal } from "../../../core/host.ts";
import { systemClock } from "../../../lib/clock.ts";
import { writeFileAtomic } from "../../../lib/files/atomic-file.ts";
import { launcher } from "../../../lib/own-files.ts";
import { runCommand } from "../../../lib/process/command.ts";
import { runForeground } from "../../../lib/process/foreground.ts";
import { setVariables } from "../../../lib/process/variables.ts";
import { readOwn } from "./own-file.ts";
import { type ServiceFile, launchAgent, systemdUnit } from "./unit.ts";

export type ServicePorts = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly homeDir: string;
  readonly platform: NodeJS.Platform;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable;
};

export type ServiceOptions = { readonly profile?: string; readonly yes?: boolean; readonly follow?: boolean };

/** What the system's manager of services is asked, and what it is called. */
type Manager = {
  readonly file: ServiceFile;
  readonly check: readonly string[];
  readonly start: readonly (readonly string[])[];
  readonly stop: readonly (readonly string[])[];
  readonly status: readonly string[];
  logs(follow: boolean): readonly string[];
};

type Action = (ports: ServicePorts, manager: Manager, options: ServiceOptions) => Promise<0 | 1>;

/** `talaria service …`: `talaria serve`, started by the person's own systemd or launchd. */
export async function service(ports: ServicePorts, action: string, options: ServiceOptions): Promise<0 | 1> {
  const act = actions[action];
  if (act === undefined) throw new Refusal("usage", `There is no talaria service ${action}.`, "See --help.");
  return await act(ports, managerOf(ports, options), options);
}

const actions: Readonly<Record<string, Action>> = { install, uninstall, status, logs };

async function install(
  ports: ServicePorts,
  manager: Manager,
  { yes = false }: ServiceOptions,
): Promise<0 | 1> {
  const { file } = manager;
  const before = await readOwn(file);
  say(ports, before === file.text ? `${file.path} is as it should be.` : announced(file, before));
  if (before !== file.text) {
    if (!yes && !(await isAgreed(ports, "Write this and start it?"))) {
      say(ports, ports.stdin.isTTY === true ? "Nothing was written." : nobodyAgreed);
      return 1;
    }
    await mkdir(dirname(file.path), { recursive: true });
    await writeFileAtomic(file.path, file.text, { mode: 0o644 });
    const wrong = await complaint(ports, manager.check);
    if (wrong !== undefined) {
      await (before === undefined ? rm(file.path) : writeFileAtomic(file.path, before, { mode: 0o644 }));
      throw new Refusal(
        "refused",
        `It was not installed, ${manager.check[0] ?? ""} says: ${wrong}`,
        "Please report it.",
      );
    }
  }
  for (const [index, words] of manager.start.entries()) {
    const failed = await tried(ports, words);
    if (failed === undefined) continue;
    const rest = manager.start.slice(index).map((each) => each.join(" "));
    say(
      ports,
      `It is written, and could not be started: ${failed}\nStart it where your services run: ${rest.join(" && ")}`,
    );
    return 1;
  }
  say(ports, "It runs. talaria service status says more.");
  return 0;
}

const nobodyAgreed =
  "Nothing was written: nobody can be asked without a terminal. To write it without a question: talaria service install --yes";

/** Also that something is there, and would be lost. */
const announced = ({ path, text }: ServiceFile, before: string | undefined): string =>
  `${path}${before === undefined ? "" : ", in place of what is there and says something else"}:\n\n${text}`;

async function uninstall(ports: ServicePorts, { file, stop }: Manager): Promise<0 | 1> {
  if ((await readOwn(file)) === undefined) {
    say(ports, `There is no ${file.path}.`);
    return 1;
  }
  const failed = (await Promise.all(stop.map((words) => tried(ports, words)))).find(
    (one) => one !== undefined,
  );
  await rm(file.path, { force: true });
  say(ports, `${file.path} is gone.${failed === undefined ? "" : ` It could not be stopped: ${failed}`}`);
  return failed === undefined ? 0 : 1;
}

async function status(ports: ServicePorts, manager: Manager): Promise<0 | 1> {
  if ((await readOwn(manager.file)) === undefined) {
    say(ports, "It is not installed: talaria service install");
    return 1;
  }
  const { code, stdout, stderr } = await asked(ports, manager.status);
  say(ports, (stdout + stderr).trim());
  // Otherwise it has been said whether it runs.
  if (stdout.trim() === "")
    say(
      ports,
      `Ask where your services run: ${manager.status.join(" ")}\nWhat serves this home: talaria serve --status`,
    );
  return code === 0 ? 0 : 1;
}

async function logs(ports: ServicePorts, manager: Manager, options: ServiceOptions): Promise<0 | 1> {
  const [command = "", ...args] = manager.logs(options.follow === true);
  return (await runForeground(command, args, { cwd: ports.homeDir, env: {} })) === 0 ? 0 : 1;
}

function managerOf(ports: ServicePorts, { profile }: ServiceOptions): Manager {
  const home = ports.env["TALARIA_HOME"]?.trim();
  const configHome = ports.env["XDG_CONFIG_HOME"];
  const of = {
    program: launcher,
    homeDir: ports.homeDir,
    ...(configHome !== undefined && isAbsolute(configHome) ? { configHome } : {}),
    ...(profile === undefined ? {} : { profile }),
    ...(home === undefined || home === "" ? {} : { home }),
  };
  if (ports.platform === "darwin") return launchd(launchAgent(of), of.home ?? `${ports.homeDir}/.talaria`);
  if (ports.platform === "linux") return systemd(systemdUnit(of));
  throw new Refusal(
    "usage",
    "Services are managed here on Linux and on a Mac.",
    "Start talaria serve yourself.",
  );
}

const systemd = (file: ServiceFile): Manager => ({
  file,
  check: ["systemd-analyze", "--user", "verify", file.path],
  start: [
    ["systemctl", "--user", "daemon-reload"],
    ["systemctl", "--user", "enable", "--now", file.name],
  ],
  stop: [["systemctl", "--user", "disable", "--now", file.name]],
  status: ["systemctl", "--user", "status", "--no-pager", file.name],
  logs: (follow) => ["journalctl", "--user", "-u", file.name, "-n", "100", follow ? "-f" : "--no-pager"],
});

const launchd = (file: ServiceFile, home: string): Manager => {
  const domain = `gui/${process.getuid?.() ?? 501}`;
  return {
    file,
    check: ["plutil", "-lint", file.path],
    start: [["launchctl", "bootstrap", domain, file.path]],
    stop: [["launchctl", "bootout", `${domain}/${file.name}`]],
    status: ["launchctl", "print", `${domain}/${file.name}`],
    logs: (follow) => ["tail", "-n", "100", ...(follow ? ["-f"] : []), `${home}/logs/serve.log`],
  };
};

/** What a program that checks the file has to say against it; where there is none, nothing. */
async function complaint(ports: ServicePorts, words: readonly string[]): Promise<string | undefined> {
  // Where no login has made that folder, any other serves to look at a file.
  const env = { ...ports.env, XDG_RUNTIME_DIR: ports.env["XDG_RUNTIME_DIR"] ?? tmpdir() };
  const { code, stdout, stderr } = await asked({ ...ports, env }, words);
  return code === 0 || code === missing ? undefined : (stdout + stderr).trim();
}

/** Why it did not work. */
async function tried(ports: ServicePorts, words: readonly string[]): Promise<string | undefined> {
  const { code, stdout, stderr } = await asked(ports, words);
  return code === 0 ? undefined : (stderr + stdout).trim() || `${words.join(" ")} ended with ${code}`;
}

/** As a shell says it of a program that is not there. */
const missing = 127;

async function asked(
  { env, homeDir }: ServicePorts,
  [command = "", ...args]: readonly string[],
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  try {
    return await runCommand({
      command,
      args,
      cwd: homeDir,
      env: setVariables(env),
      clock: systemClock,
      signal: new AbortController().signal,
      timeoutMs: 30_000,
    });
  } catch (error) {
    return { code: missing, stdout: "", stderr: `${command} cannot be run: ${(error as Error).message}` };
  }
}

/** Nobody who could be asked has agreed to nothing. */
async function isAgreed({ stdin, stdout }: ServicePorts, question: string): Promise<boolean> {
  if (stdin.isTTY !== true) return false;
  stdout.write(`${question} [y/N] `);
  for await (const line of stdin) return /^\s*y(?:es)?\s*$/i.test(String(line));
  return false;
}

const say = ({ stdout }: ServicePorts, text: string): void => void stdout.write(`${text}\n`);
