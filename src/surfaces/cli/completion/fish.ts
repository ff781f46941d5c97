import { type Flag, type Node, type Values, moves, valued } from "./nodes.ts";

export const fishScript = (
  nodes: readonly Node[],
): string => `# fish completion for talaria, written by: talaria completion fish

function __talaria_at
    set -l at ''
    set -l skip
    set -l said (commandline -opc)
    for one in $said[2..-1]
        if test -n "$skip"
            set skip
            continue
        end
        switch "$at $one"
            case ${valued(nodes)
              .flatMap(({ at }) => at.map(quoted))
              .join(" ")}
                set skip 1
${moves(nodes)
  .map(({ at, to }) => `            case ${quoted(at)}\n                set at ${quoted(to)}`)
  .join("\n")}
        end
    end
    echo "$at"
end

function __talaria_is
    set -l at (__talaria_at)
    test "$at" = "$argv[1]"
end

function __talaria_profiles
    echo default
    set -l home $TALARIA_HOME
    test -n "$home"; or set home $HOME/.talaria
    for folder in $home/profiles/*/
        basename $folder
    end
end

complete -c talaria -f
${nodes.flatMap(nodeLines).join("\n")}
`;

function nodeLines({ path, commands, flags, values }: Node): readonly string[] {
  const here = `complete -c talaria -n ${quoted(`__talaria_is "${path}"`)}`;
  const behind = commands.length > 0 ? [] : [`${here} ${taking(values, false)}`];
  return [
    ...commands.map(({ name, about }) => `${here} -a ${name} -d ${quoted(about)}`),
    ...behind.filter((line) => line.trim() !== here),
    ...flags.map((flag) => `${here} ${flagWords(flag)} -d ${quoted(flag.about)}`),
  ];
}

function flagWords({ short, long, values }: Flag): string {
  const names = [
    ...(short === undefined ? [] : [`-s ${short.slice(1)}`]),
    ...(long === undefined ? [] : [`-l ${long.slice(2)}`]),
  ];
  return [...names, ...(values === undefined ? [] : [taking(values, true)])].join(" ");
}

function taking(values: Values, needed: boolean): string {
  // Behind an option that wants a value, fish offers files unless it is told that nothing else fits.
  const must = needed ? "-x " : "";
  switch (values) {
    case "files":
      return needed ? "-r -F" : "-F";
    case "folders":
      return `${must}-a '(__fish_complete_directories)'`;
    case "profiles":
      return `${must}-a '(__talaria_profiles)'`;
    case "any":
      return must.trimEnd();
    default:
      return values.length === 0 ? "" : `${must}-a ${quoted(values.join(" "))}`;
  }
}

const quoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
