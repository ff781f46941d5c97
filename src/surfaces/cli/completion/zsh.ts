import { type Node, type Values, moves, namesOf, valued } from "./nodes.ts";

export const zshScript = (nodes: readonly Node[]): string => `#compdef talaria
# zsh completion for talaria, written by: talaria completion zsh

_talaria() {
  local at= skip= one
  local -i index
  local -a names flags
  for (( index = 2; index < CURRENT; index++ )); do
    one=\${words[index]}
    if [[ -n $skip ]]; then
      skip=
      continue
    fi
    case "$at $one" in
${block([`(${pattern(valued(nodes).flatMap(({ at }) => at))}) skip=1 ;;`])}
${block(moves(nodes).map(({ at, to }) => `("${at}") at=${to} ;;`))}
    esac
  done
  if [[ -n $skip ]]; then
    case "$at \${words[CURRENT-1]}" in
${block(valued(nodes).map(({ at, values }) => `(${pattern(at)}) ${offer(values)} ;;`))}
    esac
    return
  fi
  case "$at" in
${nodes.map(nodeCase).join("\n")}
  esac
  if [[ \${words[CURRENT]} == -* ]]; then
    _describe -o option flags
    return
  fi
  (( \${#names} )) && _describe command names
}

_talaria_profiles() {
  local -a found
  found=(default \${TALARIA_HOME:-$HOME/.talaria}/profiles/*(/N:t))
  compadd -a found
}

if [[ $funcstack[1] == _talaria ]]; then
  _talaria "$@"
else
  compdef _talaria talaria
fi
`;

const pattern = (at: readonly string[]): string =>
  at.map((one) => (one.startsWith("*") ? `*"${one.slice(1)}"` : `"${one}"`)).join("|");

const block = (lines: readonly string[]): string => lines.map((line) => `      ${line}`).join("\n");

function nodeCase({ path, commands, flags, values }: Node): string {
  const names = commands.map(({ name, about }) => described(name, about));
  const options = flags.flatMap((flag) => namesOf(flag).map((name) => described(name, flag.about)));
  const rest = commands.length > 0 ? "" : `\n      [[ \${words[CURRENT]} == -* ]] || ${offer(values)}`;
  return `    ("${path}")
      names=(${names.join(" ")})
      flags=(${options.join(" ")})${rest}
      ;;`;
}

/** `name:what it does`, in quotes. */
const described = (name: string, about: string): string =>
  `'${name.replaceAll(":", "\\:")}:${about.replaceAll("'", "'\\''")}'`;

function offer(values: Values): string {
  switch (values) {
    case "files":
      return "_files";
    case "folders":
      return "_files -/";
    case "profiles":
      return "_talaria_profiles";
    case "any":
      return "true";
    default:
      return values.length === 0 ? "true" : `compadd -- ${values.join(" ")}`;
  }
}
