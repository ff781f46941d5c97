import { resolve } from "node:path";
import { skillsText } from "../../commands/text/learned-text.ts";
import { type Host, Refusal } from "../../core/host.ts";
import type { ListedSkill } from "../../core/learning.ts";
import { clean, counted, short } from "../../core/plain-text.ts";
import { type CommandOutput, runOnHost } from "./command-output.ts";
import { usage } from "./failure.ts";
import type { CliPorts, ExitCode } from "./ports.ts";

export type SkillsOptions = {
  readonly profile?: string;
  readonly json?: boolean;
  readonly dryRun?: boolean;
};

type Action = (
  host: Host,
  words: readonly string[],
  cwd: string,
  options: SkillsOptions,
) => Promise<CommandOutput>;

/** `talaria skills list|show|trust|untrust|pin|unpin|curate|rollback`. */
export const skills = (
  ports: CliPorts,
  action: keyof typeof actions,
  words: readonly string[],
  options: SkillsOptions,
): Promise<ExitCode> => runOnHost(ports, options, (host) => actions[action](host, words, ports.cwd, options));

const list: Action = async (host, words, cwd) => {
  if (words.length > 0)
    throw usage(
      `talaria skills has no command "${short(words.join(" "), 40)}".`,
      "`talaria skills show NAME` shows one skill; `talaria skills --help` lists all.",
    );
  const rows = await host.learned.skills(cwd);
  return { text: skillsText(rows, host.learned.now()), rows };
};

const show: Action = async (host, [name = ""], cwd) => {
  const skill = (await host.learned.skills(cwd)).find((one) => one.name === name);
  const text = await host.learned.skill(name, cwd);
  if (skill === undefined)
    throw new Refusal("not_found", `There is no skill "${short(name, 64)}".`, "`talaria skills` lists them.");
  const { source, by, state, path, uses } = skill;
  const head = `${name}: ${state}, from ${source}, made by ${by}, ${counted(uses, "use")}\n${clean(path)}`;
  const body = text === undefined ? `(${short(whyNot(skill), 500)})` : clean(text);
  return { text: `${head}\n\n${body}`, rows: [{ ...skill, ...(text === undefined ? {} : { text }) }] };
};

function whyNot({ state, description }: ListedSkill): string {
  if (state === "untrusted") return "It is not used until you trust it: talaria skills trust";
  if (state === "archived")
    return "It is archived: nobody used it. `talaria learned` has the change that can be taken back.";
  return `It cannot be used here now: ${description}.`;
}

const trust: Action = async (host, [folder = "."], cwd) => {
  const rows = await host.learned.trust(resolve(cwd, folder));
  const names = rows.map(({ name, description }) => `  ${name}: ${short(description, 100)}`);
  const what = `From now on these are used as they are now. If a file of theirs changes, you are asked again:`;
  return { text: [what, ...names].join("\n"), rows };
};

const untrust: Action = async (host, [folder = "."], cwd) => {
  const project = await host.learned.distrust(resolve(cwd, folder));
  return { text: `The skills of ${project} are not used any more.`, rows: [{ project }] };
};

const pinning =
  (on: boolean): Action =>
  async (host, [name = ""]) => {
    await host.learned.pin(name, on);
    const text = on
      ? `${short(name, 64)} is pinned: nobody but you changes, deletes or archives it.`
      : `${short(name, 64)} is not pinned any more.`;
    return { text, rows: [{ skill: name, pinned: on }] };
  };

const curate: Action = async (host, _words, _cwd, { dryRun = false }) => {
  const lines = await host.learned.curate({ dryRun });
  return { text: clean(lines.join("\n")), rows: lines.map((line) => ({ line })) };
};

const rollback: Action = async (host) => {
  const lines = await host.learned.uncurate();
  return { text: clean(lines.join("\n")), rows: lines.map((line) => ({ line })) };
};

const actions = {
  list,
  show,
  trust,
  untrust,
  pin: pinning(true),
  unpin: pinning(false),
  curate,
  rollback,
} as const;
