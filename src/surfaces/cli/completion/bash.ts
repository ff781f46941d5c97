import { type Node, type Values, moves, namesOf, valued } from "./nodes.ts";

/** For bash 3.2 and newer; needs nothing else installed. */
export const bashScript = (
  nodes: readonly Node[],
): string => `# bash completion for talaria, written by: talaria completion bash

_talaria() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]}
  local at= skip= one index
  COMPREPLY=()
  for ((index = 1; index < COMP_CWORD; index++)); do
    one=\${COMP_WORDS[index]}
    if [ -n "$skip" ]; then
      skip=
      continue
    fi
    case "$at $one" in
${block([`${pattern(valued(nodes).flatMap(({ at }) => at))}) skip=1 ;;`])}
${block(moves(nodes).map(({ at, to }) => `"${at}") at=${to} ;;`))}
    esac
  done
  if [ -n "$skip" ]; then
    case "$at $before" in
${block(valued(nodes).map(({ at, values }) => `${pattern(at)}) ${offer(values)} ;;`))}
    esac
    return
  fi
  case "$at" in
${nodes.map(nodeCase).join("\n")}
  esac
}

_talaria_words() {
  COMPREPLY=($(compgen -W "$1" -- "$word"))
}

_talaria_files() {
  local name
  compopt -o filenames 2>/dev/null
  while IFS= read -r name; do
    COMPREPLY+=("$name")
  done < <(compgen "$1" -- "$word")
}

_talaria_profiles() {
  local folder name
  for folder in default "\${TALARIA_HOME:-$HOME/.talaria}"/profiles/*/; do
    name=\${folder%/}
    name=\${name##*/}
    case "$name" in
      '*') ;;
      "$word"*) COMPREPLY+=("$name") ;;
    esac
  done
}

complete -F _talaria talaria
`;

const pattern = (at: readonly string[]): string =>
  at.map((one) => (one.startsWith("*") ? `*"${one.slice(1)}"` : `"${one}"`)).join(" | ");

const block = (lines: readonly string[]): string => lines.map((line) => `      ${line}`).join("\n");

function nodeCase({ path, commands, flags, values }: Node): string {
  const names = commands.map(({ name }) => name);
  const first = names.length > 0 ? offer(names) : offer(values);
  return `    "${path}")
      case "$word" in
        -*) ${offer(flags.flatMap(namesOf))} ;;
        *) ${first} ;;
      esac
      ;;`;
}

function offer(values: Values): string {
  switch (values) {
    case "files":
      return "_talaria_files -f";
    case "folders":
      return "_talaria_files -d";
    case "profiles":
      return "_talaria_profiles";
    case "any":
      return ":";
    default:
      return values.length === 0 ? ":" : `_talaria_words "${values.join(" ")}"`;
  }
}
