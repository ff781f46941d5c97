import { hidesText } from "./hidden-text.ts";
import { type Field, type Scope, expandText, expandWord } from "./shell-expand.ts";
import { type Invocation, isUnknown, literalField, nameOf, withFields } from "./shell-invocation.ts";
import { several, unknown } from "./shell-marks.ts";
import { outputOf } from "./shell-output.ts";
import { parseShell } from "./shell-parse.ts";
import { resolvePath } from "../policy/paths.ts";
import { type Effort, spend } from "./shell-reader.ts";
import type { Pipeline, Redirect, Script, Simple, Stage, Word } from "./shell-syntax.ts";
import { shells, unwrap } from "./shell-wrappers.ts";

/** All that was seen while going through a command and its layers. */
export type Sight = {
  readonly invocations: Invocation[];
  readonly effort: Effort;
  /** A quote or bracket was left open in some layer. */
  broken: boolean;
  /** A program's name, or what a shell is to read, is known only when it runs. */
  computed: boolean;
  /** Some layer holds characters that do not show as what they are. */
  hidden: boolean;
  readonly fedTexts: (string | undefined)[];
};

/** Where the walk is. */
type WalkState = {
  readonly sight: Sight;
  readonly vars: Map<string, string>;
  readonly functions: Map<string, Script>;
  readonly cwd: { path: string | undefined };
  readonly inside: readonly string[];
  readonly layers: number;
  readonly stdin: string | undefined;
  readonly fed: boolean;
};

/** More layers than people stack; one more is not looked into. */
const mostLayers = 24;

/** An invocation is looked at by every rule, and so are its arguments. */
const invocationCost = 200;
const fieldCost = 20;

/** No system takes longer ones. */
const longestPath = 4096;

export type Start = { readonly cwd: string; readonly home: string };

/** Goes through a command as if it ran: every variable set, every folder entered, every layer taken off. */
export function walkCommand(text: string, start: Start, effort: Effort): Sight {
  const sight: Sight = {
    invocations: [],
    effort,
    broken: false,
    computed: false,
    hidden: false,
    fedTexts: [],
  };
  const { cwd, home } = start;
  const vars = new Map(
    Object.entries({
      IFS: " \t\n",
      HOME: home,
      PWD: cwd,
      USER: home.slice(home.lastIndexOf("/") + 1),
      PATH: "/usr/local/bin:/usr/bin:/bin",
      SHELL: "/bin/bash",
      BASH: "/bin/bash",
      PPID: "PPID",
      "0": "bash",
      "#": "0",
      "?": "0",
      "@": "",
      "*": "",
      ...Object.fromEntries(Array.from({ length: 9 }, (_, index) => [String(index + 1), ""])),
    }),
  );
  const walk = { sight, vars, functions: new Map(), cwd: { path: cwd }, inside: [], layers: 0 };
  runText(text, { ...walk, stdin: undefined, fed: false });
  return sight;
}

function runText(text: string, walk: WalkState): string | undefined {
  const { sight } = walk;
  if (walk.layers > mostLayers) sight.effort.cut = true;
  if (isUnknown(text)) sight.computed ||= text.trim() === unknown;
  if (sight.effort.cut) return undefined;
  if (hidesText(text.replaceAll(unknown, ""))) sight.hidden = true;
  const { script, broken } = parseShell(text.replaceAll(unknown, "$__unknown"), sight.effort);
  if (broken) sight.broken = true;
  return runScript(script, walk);
}

/** Undefined as soon as one part of the output cannot be told. */
function runScript(script: Script, walk: WalkState): string | undefined {
  const outputs: string[] = [];
  let known = true;
  for (const pipeline of script) {
    if (walk.sight.effort.cut) return undefined;
    const output = runPipeline(pipeline, walk);
    if (output === undefined) known = false;
    outputs.push(output ?? "");
  }
  return known ? outputs.join("") : undefined;
}

function runPipeline({ stages, background }: Pipeline, walk: WalkState): string | undefined {
  let { stdin, fed } = walk;
  const parallel = background || stages.length > 1;
  for (const stage of stages) {
    stdin = runStage(stage, { ...walk, stdin, fed }, parallel);
    fed = true;
  }
  return stdin;
}

function runStage(stage: Stage, walk: WalkState, parallel: boolean): string | undefined {
  if (stage.kind === "simple") return runSimple(stage, walk, parallel);
  if (stage.kind === "function") {
    walk.functions.set(stage.name, stage.body);
    runScript(stage.body, { ...withoutParameters(walk), inside: [...walk.inside, stage.name] });
    return "";
  }
  const fed = withRedirects(stage.redirects, walk);
  note(walk.sight, invocationOf([], new Map(), fed, walk, parallel));
  return runScript(stage.body, { ...walk, cwd: { ...walk.cwd }, stdin: fed.stdin, fed: fed.fed });
}

/** Inside a function its arguments are not known until it is called. */
function withoutParameters(walk: WalkState): WalkState {
  const vars = copyOf(walk);
  for (const name of ["@", "*", "1", "2", "3", "4", "5", "6", "7", "8", "9"]) vars.delete(name);
  return { ...walk, vars, cwd: { ...walk.cwd } };
}

type Fed = {
  readonly redirects: Invocation["redirects"];
  readonly stdin: string | undefined;
  readonly fed: boolean;
};

function withRedirects(redirects: readonly Redirect[], walk: WalkState): Fed {
  const scope = scopeOf(walk);
  let { stdin, fed } = walk;
  const targets = redirects.flatMap(({ op, target, body }) => {
    if (body !== undefined || op === "<<<" || op.startsWith("<<")) {
      stdin = `${expandText(body ?? target, scope)}\n`;
      if (isUnknown(stdin)) stdin = undefined;
      fed = true;
      return [];
    }
    const fields = expandWord(target, scope);
    if (op === "<") {
      stdin = undefined;
      fed = true;
    }
    return fields.map((field) => ({ op, target: field }));
  });
  return { redirects: targets, stdin, fed };
}

function scopeOf(walk: WalkState): Scope {
  const { sight } = walk;
  const inner = { ...walk, cwd: { ...walk.cwd }, layers: walk.layers + 1, stdin: undefined, fed: false };
  return {
    vars: walk.vars,
    effort: sight.effort,
    output: (body) => runScript(body, { ...inner, vars: copyOf(walk) }),
    feed: (output) => sight.fedTexts.push(output) - 1,
  };
}

function runSimple(simple: Simple, walk: WalkState, parallel: boolean): string | undefined {
  const scope = scopeOf(walk);
  const assigns = new Map(
    simple.assigns.map(({ name, value }) => [name, several(value.map((word) => expandText(word, scope)))]),
  );
  if (simple.words.length === 0) for (const [name, value] of assigns) walk.vars.set(name, value);
  const spread = simple.words.map((word) => expandWord(word, scope));
  const invocation = invocationOf(
    spread.flat(),
    assigns,
    withRedirects(simple.redirects, walk),
    walk,
    parallel,
  );
  if (spread.flat().length === 0) {
    if (simple.words.length > 0) walk.sight.computed = true;
    note(walk.sight, invocation);
    return "";
  }
  const output = runInvocation(invocation, walk);
  // A first word that became several may have hidden which of them is the program.
  const firsts = spread.find((fields) => fields.length > 0) ?? [];
  if (firsts.length > 1 && isComputed(simple.words[0] ?? [])) {
    const fields = spread.flat();
    for (let index = 1; index < Math.min(firsts.length, 8); index++) {
      runInvocation(withFields(invocation, fields.slice(index)), walk);
    }
  }
  return output;
}

const isComputed = (word: Word): boolean => word.some((part) => part.kind !== "text");

function invocationOf(
  fields: readonly Field[],
  assigns: ReadonlyMap<string, string>,
  fed: Fed,
  walk: WalkState,
  parallel: boolean,
): Invocation {
  return {
    name: nameOf(fields[0]),
    fields,
    args: fields.slice(1).map((field) => field.text),
    assigns,
    ...fed,
    cwd: walk.cwd.path,
    inside: walk.inside,
    parallel,
  };
}

function note(sight: Sight, invocation: Invocation): void {
  const { fields, redirects } = invocation;
  const length = fields.reduce((sum, field) => sum + field.text.length, 0);
  const cost = invocationCost + (fields.length + redirects.length) * fieldCost + length;
  if (spend(sight.effort, cost)) sight.invocations.push(invocation);
}

function runInvocation(invocation: Invocation, walk: WalkState): string | undefined {
  const { sight } = walk;
  if (walk.layers > mostLayers) sight.effort.cut = true;
  if (sight.effort.cut || invocation.fields.length === 0) return undefined;
  note(sight, invocation);
  const [program] = invocation.fields;
  if (program !== undefined && (isUnknown(program.text) || isPattern(program))) sight.computed = true;
  remember(invocation, walk);
  const inner = unwrap(invocation, sight.fedTexts);
  if (inner.unseen) sight.computed = true;
  const isScript = invocation.stdin !== undefined && inner.scripts.includes(invocation.stdin);
  const below = belowOf(invocation, walk, isScript);
  const outputs = [
    ...inner.argvs.map((fields) => runInvocation(withFields(invocation, fields), below)),
    ...inner.scripts.map((text) => runText(text, below)),
    ...called(invocation, below),
  ];
  return outputs.length > 0 ? outputs[0] : outputOf(invocation);
}

/** Another shell has its own folder, variables and functions, and has read its input if that was its script. */
function belowOf(invocation: Invocation, walk: WalkState, isScript: boolean): WalkState {
  const { stdin, fed, name, assigns } = invocation;
  const layer = { ...walk, layers: walk.layers + 1, stdin, fed };
  if (!shells.has(name) && assigns.size === 0) return layer;
  const vars = copyOf(walk);
  for (const [key, value] of assigns) vars.set(key, value);
  if (!shells.has(name)) return { ...layer, vars };
  const own = { vars, cwd: { ...walk.cwd }, functions: new Map<string, Script>(), inside: [] };
  return { ...layer, ...own, stdin: isScript ? undefined : stdin };
}

function copyOf({ vars, sight }: WalkState): Map<string, string> {
  return spend(sight.effort, vars.size) ? new Map(vars) : new Map();
}

/** No program is called like this: something in the name is yet to be put in. */
const isPattern = ({ glob, text }: Field): boolean =>
  (glob && text !== "[" && text !== "[[") || /[$`]/.test(text) || (text.includes("{") && text.includes("}"));

/** A function of the command's own, with the arguments it is called with. */
function called(invocation: Invocation, walk: WalkState): (string | undefined)[] {
  const written = invocation.fields[0]?.text ?? "";
  const body = walk.functions.get(written);
  if (body === undefined || walk.inside.includes(written)) return [];
  const vars = copyOf(walk);
  setParameters(vars, invocation.args);
  return [runScript(body, { ...walk, vars, inside: [...walk.inside, written] })];
}

function setParameters(vars: Map<string, string>, args: readonly string[]): void {
  vars.set("@", several(args)).set("*", several(args)).set("#", String(args.length));
  for (const [index, arg] of args.slice(0, 9).entries()) vars.set(String(index + 1), arg);
}

/** Commands that change what later ones mean. */
function remember(invocation: Invocation, walk: WalkState): void {
  const { name, args } = invocation;
  if (name === "cd" || name === "pushd") {
    const target = args.find((arg) => !/^-[A-Za-z@]/.test(arg)) ?? walk.vars.get("HOME") ?? "";
    const path = target === "-" || isUnknown(target) ? undefined : resolvePath(walk.cwd.path, target);
    walk.cwd.path = path === undefined || path.length > longestPath ? undefined : path;
    walk.vars.set("PWD", walk.cwd.path ?? unknown);
    return;
  }
  if (name === "popd") walk.cwd.path = undefined;
  if (/^(export|declare|typeset|local|readonly)$/.test(name)) {
    for (const arg of args) {
      const [whole = "", key = ""] = /^([A-Za-z_]\w*)\+?=/.exec(arg) ?? [];
      if (whole !== "") walk.vars.set(key, arg.slice(whole.length));
    }
  }
  if (name === "set") setParameters(walk.vars, args.slice(args.indexOf("--") + 1));
  if (name === "unset") for (const arg of args) walk.vars.delete(arg);
  if (name === "printf" && args[0] === "-v") {
    const value = outputOf(withFields(invocation, [literalField("printf"), ...invocation.fields.slice(3)]));
    walk.vars.set(args[1] ?? "", value ?? unknown);
  }
  if (name === "read" || name === "mapfile" || name === "readarray") {
    const value = invocation.stdin?.trim() ?? unknown;
    for (const arg of args.filter((word) => /^[A-Za-z_]\w*$/.test(word))) walk.vars.set(arg, value);
  }
  if ((name === "for" || name === "select") && args[1] === "in") {
    walk.vars.set(args[0] ?? "", several(args.slice(2)));
  }
}
