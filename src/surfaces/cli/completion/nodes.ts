import type { Argument, Command, Option } from "commander";

/** What can be typed at one place of the command line. */
export type Node = {
  /** The commands that lead there: `` is `talaria` itself, `/sessions/show` one of its commands. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly about: string }[];
  readonly flags: readonly Flag[];
  /** What stands behind the command itself. */
  readonly values: Values;
};

export type Flag = {
  readonly short?: string;
  readonly long?: string;
  readonly about: string;
  /** What must stand behind it; `undefined`: it may stand alone. */
  readonly values?: Values;
};

/** Words, files, folders, the profiles that there are, or whatever the person types. */
export type Values = readonly string[] | "files" | "folders" | "profiles" | "any";

export const nodesOf = (program: Command): readonly Node[] =>
  walk(
    program,
    "",
    program.options.filter(({ long }) => long === "--profile"),
  );

function walk(command: Command, path: string, everywhere: readonly Option[]): readonly Node[] {
  const options = path === "" ? command.options : [...command.options, ...everywhere];
  const node: Node = {
    path,
    commands: command.commands.map((one) => ({ name: one.name(), about: firstLine(one.description()) })),
    flags: [...options.map(flagOf), help],
    values: argumentValues(command.registeredArguments),
  };
  return [node, ...command.commands.flatMap((one) => walk(one, `${path}/${one.name()}`, everywhere))];
}

const help: Flag = { short: "-h", long: "--help", about: "say what can be typed here" };

const flagOf = ({ short, long, description, required, argChoices }: Option): Flag => ({
  ...(short ? { short } : {}),
  ...(long ? { long } : {}),
  about: firstLine(description),
  ...(required ? { values: argChoices ?? taken[long ?? ""] ?? "any" } : {}),
});

/** By the name of the option: it takes the same wherever it stands. */
const taken: Readonly<Record<string, Values>> = {
  "--profile": "profiles",
  "--runtime": ["loop", "codex"],
  "--approve": ["ask", "none", "all"],
  "--format": ["jsonl", "md"],
  "--protocol": ["responses", "chat"],
  "--effort": ["minimal", "low", "medium", "high"],
  "--image": "files",
  "--schema": "files",
  "--cwd": "folders",
};

function argumentValues([first]: readonly Argument[]): Values {
  if (first === undefined) return [];
  return first.argChoices ?? (first.name() === "file" ? "files" : "any");
}

const firstLine = (text: string): string => text.split("\n", 1).join("");

export const namesOf = ({ short, long }: Flag): readonly string[] =>
  [short, long].filter((name) => name !== undefined);

/** Options that take the same, each as `PATH NAME`; one that may stand anywhere has `*` for its path. */
export type Valued = { readonly at: readonly string[]; readonly values: Values };

export function valued(nodes: readonly Node[]): readonly Valued[] {
  const all = nodes.flatMap(({ path, flags }) =>
    flags.flatMap((flag) => {
      const { values } = flag;
      const where = flag.long === "--profile" ? "*" : path;
      return values === undefined ? [] : namesOf(flag).map((name) => ({ at: `${where} ${name}`, values }));
    }),
  );
  const groups = Map.groupBy(all, ({ values }) => JSON.stringify(values));
  return [...groups.values()].map((group) => ({
    at: [...new Set(group.map(({ at }) => at))],
    values: group[0]?.values ?? "any",
  }));
}

/** Every command, as the `PATH NAME` where it is typed, with the path that it leads to. */
export const moves = (nodes: readonly Node[]): readonly { readonly at: string; readonly to: string }[] =>
  nodes.flatMap(({ path, commands }) =>
    commands.map(({ name }) => ({ at: `${path} ${name}`, to: `${path}/${name}` })),
  );
