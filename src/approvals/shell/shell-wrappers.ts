import { byName, names } from "../policy/names.ts";
import { codeOf, codeScripts } from "./inline-code.ts";
import type { Field } from "./shell-expand.ts";
import { type Invocation, literalField, optionValues } from "./shell-invocation.ts";
import { fedFile, unknown } from "./shell-marks.ts";

/** What an invocation would start in turn. */
export type Inner = {
  /** Programs with their arguments. */
  readonly argvs: readonly (readonly Field[])[];
  /** Texts that a shell reads. */
  readonly scripts: readonly string[];
  /** A shell or interpreter is handed something that nobody has seen. */
  readonly unseen: boolean;
};

export const shells = names(
  "sh bash dash zsh ksh ksh93 mksh ash fish csh tcsh rbash yash busybox-sh pwsh powershell",
);

const nothing: Inner = { argvs: [], scripts: [], unseen: false };

/** One layer of disguise taken off. `fedTexts`: what the files made of `<( … )` hold. */
export function unwrap(invocation: Invocation, fedTexts: readonly (string | undefined)[]): Inner {
  const { name } = invocation;
  if (shells.has(name)) return shell(invocation, fedTexts);
  const prefix = prefixes.get(name);
  if (prefix !== undefined) return { ...nothing, argvs: [afterOptions(invocation.fields, prefix)] };
  const code = codeOf(invocation);
  if (code !== "") return { ...nothing, scripts: codeScripts(name, code) };
  return special.get(name)?.(invocation, fedTexts) ?? nothing;
}

/** Programs that run the program behind them: their options that take a value, and how many words come before it. */
type Prefix = { readonly valued: string; readonly skip?: number; readonly assigns?: boolean };

const plain =
  "command builtin nohup setsid linux32 linux64 firejail unbuffer rlwrap catchsegv prlimit softlimit setpriv capsh " +
  "busybox toybox coproc dbus-launch dbus-run-session systemd-inhibit bunx entr";

const prefixes = byName<Prefix>({
  sudo: {
    valued: "-u -g -h -p -C -T -r -t -D -R -U --user --group --host --prompt --chdir --chroot",
    assigns: true,
  },
  doas: { valued: "-u -C" },
  pkexec: { valued: "--user" },
  [plain]: { valued: "" },
  "setarch setuidgid gosu su-exec": { valued: "", skip: 1 },
  exec: { valued: "-a" },
  nice: { valued: "-n --adjustment" },
  ionice: { valued: "-c -n -p --class --classdata" },
  "timeout gtimeout": { valued: "-s -k --signal --kill-after", skip: 1 },
  time: { valued: "-f -o --format --output" },
  stdbuf: { valued: "-i -o -e" },
  strace: { valued: "-e -o -p -s -u -E -P -a -b -I -O -S" },
  ltrace: { valued: "-e -o -p -s -u -a -n -l" },
  chroot: { valued: "--userspec --groups", skip: 1 },
  unshare: { valued: "-S -G -R -w" },
  nsenter: { valued: "-t -S -G -r -w" },
  taskset: { valued: "-p", skip: 1 },
  chrt: { valued: "-T -P -D", skip: 1 },
  fakeroot: { valued: "-l -s -i -b" },
  proot: { valued: "-r -b -w -q" },
  numactl: { valued: "-N -m -C" },
  cgexec: { valued: "-g" },
  chpst: { valued: "-u -U -b -e -d -/ -n -l -L" },
  "systemd-run": { valued: "-p -u --unit --property --on-calendar --on-active -E --setenv" },
  caffeinate: { valued: "-t -w" },
  "xvfb-run": { valued: "-n -s -e -f -p" },
  npx: { valued: "-p --package -w --workspace" },
  uvx: { valued: "--from --with --python" },
  faketime: { valued: "-f", skip: 1 },
});

/** Programs that are looked through: what they are given counts where the program inside them gets it. */
export const runners: ReadonlySet<string> = new Set([
  ...prefixes.keys(),
  ...names("env eval xargs parallel find git tar source ."),
]);

function afterOptions(
  fields: readonly Field[],
  { valued, skip = 0, assigns = false }: Prefix,
): readonly Field[] {
  const takesValue = new Set(valued.split(" "));
  let index = 1;
  let positional = skip;
  while (index < fields.length) {
    const text = fields[index]?.text ?? "";
    if (text === "--") return fields.slice(index + 1 + positional);
    const isAssign = assigns && /^[A-Za-z_]\w*=/.test(text);
    if (!text.startsWith("-") && !isAssign) {
      if (positional === 0) break;
      positional--;
    }
    index += takesValue.has(text) ? 2 : 1;
  }
  return fields.slice(index);
}

type Special = (invocation: Invocation, fedTexts: readonly (string | undefined)[]) => Inner;

const special = byName<Special>({
  env: ({ fields, args }) => ({
    ...nothing,
    argvs: [afterOptions(fields, { valued: "-u -C --unset --chdir", assigns: true })],
    scripts: splitStrings(args),
  }),
  eval: ({ args }) => script(args.join(" ")),
  "source .": (invocation, fedTexts) => fileScript(invocation.args[0] ?? "", invocation, fedTexts),
  trap: ({ args }) => script(args[0] ?? ""),
  alias: ({ args }) => ({ ...nothing, scripts: args.map((arg) => arg.slice(arg.indexOf("=") + 1)) }),
  su: ({ args }) => scripts(optionValues(args, "-c", "--command", "--session-command")),
  runuser: ({ args, fields }) => ({
    ...scripts(optionValues(args, "-c", "--command")),
    argvs: [afterOptions(fields, { valued: "-u -g -G" })],
  }),
  script: ({ args }) => scripts(optionValues(args, "-c", "--command")),
  sg: ({ args }) => script(args.slice(1).join(" ")),
  watch: ({ fields }) => script(texts(afterOptions(fields, { valued: "-n --interval" }))),
  flock: ({ fields, args }) => ({
    ...scripts(optionValues(args, "-c", "--command")),
    argvs: [afterOptions(fields, { valued: "-w -E --timeout", skip: 1 })],
  }),
  xargs: (invocation) =>
    fromInput(invocation, "-I -n -P -L -d -E -s -a --max-args --max-procs --delimiter --replace"),
  parallel: (invocation) => ({
    ...fromInput(invocation, "-j -a -n -I --jobs"),
    scripts: [...inputScripts(invocation), ...invocation.args.filter((arg) => arg.includes(" "))],
  }),
  find: ({ fields }) => ({ ...nothing, argvs: executed(fields, /^-(exec|execdir|ok|okdir)$/) }),
  "fd fdfind": ({ fields }) => ({ ...nothing, argvs: executed(fields, /^(-x|-X|--exec|--exec-batch)$/) }),
  ssh: ({ fields }) => script(texts(afterOptions(fields, { valued: sshValued, skip: 1 }))),
  git: ({ args }) => scripts(gitScripts(args)),
  "tar bsdtar": ({ args }) => scripts(tarScripts(args)),
  rsync: ({ args }) => scripts(optionValues(args, "-e", "--rsh", "--rsync-path")),
  "npm mise": (invocation) => runner(invocation, /^(exec|x)$/),
  "pnpm yarn": (invocation) => runner(invocation, /^(exec|dlx)$/),
  "poetry pipenv uv": (invocation) => runner(invocation, /^run$/),
  "bundle direnv": (invocation) => runner(invocation, /^exec$/),
  docker: ({ fields, args }) => ({ ...nothing, argvs: args[0] === "exec" ? [afterContainer(fields)] : [] }),
  "vim vi nvim": ({ args }) => scripts(bangs(args)),
  ex: ({ args, stdin }) => scripts([...bangs(args), ...bangs((stdin ?? "").split("\n"))]),
  ed: ({ stdin }) => scripts(bangs((stdin ?? "").split("\n"))),
  make: ({ args }) => scripts(optionValues(args, "--eval")),
  "at batch": (invocation) => scripts(inputScripts(invocation)),
  screen: ({ fields }) => ({ ...nothing, argvs: [afterOptions(fields, { valued: "-S -t -c -T -s" })] }),
  tmux: ({ args }) => scripts(args.filter((arg) => arg.includes(" "))),
  "xterm gnome-terminal": ({ fields }) => ({ ...nothing, argvs: executed(fields, /^(-e|--)$/) }),
  expect: ({ args }) =>
    scripts(optionValues(args, "-c").flatMap((code) => code.match(/(?<=spawn\s)[^;\n]+/g) ?? [])),
});

const sshValued = "-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w";

const script = (text: string): Inner => scripts([text]);

const scripts = (all: readonly string[]): Inner => ({
  ...nothing,
  scripts: all.filter((text) => text.trim() !== ""),
  unseen: all.some((text) => text.trim() === unknown),
});

const texts = (fields: readonly Field[]): string => fields.map((field) => field.text).join(" ");

/** `sh -c text`, `sh file`, `sh < text`. */
function shell(invocation: Invocation, fedTexts: readonly (string | undefined)[]): Inner {
  const { args, fields } = invocation;
  const withCode = args.findIndex(
    (arg) => /^[-+][A-Za-z]*c[A-Za-z]*$/.test(arg) || /^--?command$/i.test(arg),
  );
  if (withCode >= 0) {
    const index = args.findIndex((arg, at) => at > withCode && !/^[-+]/.test(arg));
    // Options may stand between `-c` and its text; a text that begins with a dash is taken as well.
    return scripts(index < 0 ? args.slice(withCode + 1) : [args[index] ?? ""]);
  }
  const file = args.find((arg) => !/^[-+]/.test(arg));
  if (file !== undefined) return fileScript(file, invocation, fedTexts);
  if (!invocation.fed) return nothing;
  if (fields.length > 1 && args.some((arg) => /^--?(version|help)$/.test(arg))) return nothing;
  return { ...scripts(inputScripts(invocation)), unseen: invocation.stdin === undefined };
}

/** A file of the disk is not looked into; one that holds what another command printed is. */
function fileScript(file: string, invocation: Invocation, fedTexts: readonly (string | undefined)[]): Inner {
  if (/^\/dev\/(stdin|fd\/0)$|^\/proc\/self\/fd\/0$|^-$/.test(file)) {
    return { ...scripts(inputScripts(invocation)), unseen: invocation.stdin === undefined };
  }
  if (!file.startsWith(fedFile)) return nothing;
  const known = fedTexts[Number(file.slice(fedFile.length))];
  return known === undefined ? { ...nothing, unseen: true } : script(known);
}

const inputScripts = ({ stdin }: Invocation): readonly string[] => (stdin === undefined ? [] : [stdin]);

/** `env -S "rm -rf x"`, in all its spellings; the first one counts. */
function splitStrings(args: readonly string[]): readonly string[] {
  const index = args.findIndex((arg) => /^-[A-Za-z0-9]*S|^--s/.test(arg));
  if (index < 0) return [];
  const attached = /^(?:-[A-Za-z0-9]*?S|--s[a-z-]*=)(.+)$/s.exec(args[index] ?? "")?.[1];
  const [text = "", ...rest] =
    attached === undefined ? args.slice(index + 1) : [attached, ...args.slice(index + 1)];
  // What follows the string is not split again.
  return [[text, ...rest.map((arg) => `'${arg.replaceAll("'", `'\\''`)}'`)].join(" ")];
}

/** What it reads becomes arguments of the program behind it. */
function fromInput(invocation: Invocation, valued: string): Inner {
  const command = afterOptions(invocation.fields, { valued });
  const words = (invocation.stdin ?? unknown).split(/[\s\0]+/).filter((word) => word !== "");
  const input = words.map((text) => ({ ...literalField(text), computed: true }));
  const placeholders = optionValues(invocation.args, "-I", "--replace");
  const filled = command.map((field) =>
    placeholders.reduce(
      (current, mark) =>
        mark === "" ? current : { ...current, text: current.text.replaceAll(mark, words.join(" ")) },
      field,
    ),
  );
  return { ...nothing, argvs: [[...filled, ...(placeholders.length > 0 ? [] : input)]], unseen: false };
}

/** The commands behind `-exec`, up to `;` or `+`. */
function executed(fields: readonly Field[], option: RegExp): readonly (readonly Field[])[] {
  const found: Field[][] = [];
  let current: Field[] | undefined;
  for (const field of fields) {
    if (current !== undefined && (field.text === ";" || field.text === "+")) {
      current = undefined;
      continue;
    }
    current?.push(field);
    if (current === undefined && option.test(field.text)) found.push((current = []));
  }
  return found;
}

function runner({ fields, args }: Invocation, verb: RegExp): Inner {
  const index = args.findIndex((arg) => !arg.startsWith("-"));
  if (index < 0 || !verb.test(args[index] ?? "")) return nothing;
  const codes = optionValues(args, "-c", "--call").filter((code) => code.includes(" "));
  return {
    ...nothing,
    argvs: [afterOptions(fields.slice(index + 1), { valued: "-p --package" })],
    scripts: codes,
  };
}

const afterContainer = (fields: readonly Field[]): readonly Field[] =>
  afterOptions(fields.slice(1), { valued: "-e -u -w --env --user --workdir", skip: 1 });

function gitScripts(args: readonly string[]): readonly string[] {
  const settings = [...optionValues(args, "-c", "--config-env"), ...(args.includes("config") ? args : [])];
  const aliases = settings.flatMap((setting) => /(?:^|=)\s*!(.*)$/s.exec(setting)?.[1] ?? []);
  const filters = args.flatMap((arg, index) =>
    /^--[a-z]+-filter$/.test(arg) ? [args[index + 1] ?? ""] : [],
  );
  const foreach = args.indexOf("foreach");
  const run = args.indexOf("run");
  return [
    ...aliases,
    ...filters,
    ...(args.includes("rebase") ? optionValues(args, "-x", "--exec") : []),
    ...(args.includes("submodule") && foreach > 0 ? [args.slice(foreach + 1).join(" ")] : []),
    ...(args.includes("bisect") && run > 0 ? [args.slice(run + 1).join(" ")] : []),
    ...optionValues(args, "--upload-pack", "--receive-pack"),
  ];
}

function tarScripts(args: readonly string[]): readonly string[] {
  const actions = optionValues(args, "--checkpoint-action").flatMap(
    (action) => /^exec=(.*)$/s.exec(action)?.[1] ?? [],
  );
  return [...actions, ...optionValues(args, "--to-command", "--use-compress-program", "--rsh-command", "-I")];
}

/** `:!cmd` of vi and `!cmd` of ed. */
const bangs = (args: readonly string[]): readonly string[] =>
  args.flatMap((arg) => /^\+?:?(?:silent\s+|sil\s+)?!(.+)$/s.exec(arg.trim())?.[1] ?? []);
