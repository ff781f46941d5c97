import { byName } from "./names.ts";
import { codeOf, codeWrites } from "../shell/inline-code.ts";
import { resolvePath } from "./paths.ts";
import type { Field } from "../shell/shell-expand.ts";
import {
  type Invocation,
  hasOption,
  isUnknown,
  literalField,
  optionValues,
} from "../shell/shell-invocation.ts";
import { fedFile, unknown } from "../shell/shell-marks.ts";

/** A path that an invocation would change. */
export type Touch = {
  /** Absolute, with patterns as they were written. */
  readonly path: string;
  readonly glob: boolean;
  /** The part from here on is known only when it runs. */
  readonly open: boolean;
  /** tree: with everything below it · mode: who may do what with it · link: another name for it */
  readonly how: "write" | "delete" | "tree" | "mode" | "tree-mode" | "link";
};

/** What an invocation changes, as far as its arguments tell. */
export function touchesOf(invocation: Invocation, home: string): readonly Touch[] {
  const redirected = invocation.redirects
    .filter(({ op, target }) => op.includes(">") && !(op === ">&" && /^[\d-]+$/.test(target.text)))
    .map(({ target }) => touch(invocation, target, "write"));
  const written = (writers.get(invocation.name)?.(invocation) ?? []).flatMap(([how, fields]) =>
    fields.map((field) => touch(invocation, field, how)),
  );
  const coded = codeWrites(invocation.name, codeOf(invocation))
    .flatMap((path) => fromHome(path, home))
    .map((path) => touch(invocation, literalField(path), "write"));
  return [...redirected, ...written, ...coded].filter((found) => found !== undefined);
}

/** Code joins its paths itself: what begins with `~`, or like a hidden folder, may lie in the person's home. */
function fromHome(path: string, home: string): readonly string[] {
  if (path.startsWith("~/")) return [home + path.slice(1)];
  if (path.startsWith(".")) return [path, `${home}/${path}`];
  return path.startsWith("/.") ? [path, home + path] : [path];
}

/** The paths that its arguments and inputs name, whatever it does with them. */
export function mentionsOf(invocation: Invocation): readonly Touch[] {
  const values = invocation.fields.slice(1).flatMap((field) => {
    const cut = /^(?:--?[\w-]+=|[\w-]*=?@|-[A-Za-z])(.+)$/s.exec(field.text)?.[1];
    return cut === undefined ? [field] : [field, { ...field, text: cut }];
  });
  const inputs = invocation.redirects.map(({ target }) => target);
  return [...values, ...inputs]
    .map((field) => touch(invocation, field, "write"))
    .filter((found) => found !== undefined);
}

function touch({ cwd }: Invocation, { text, glob }: Field, how: Touch["how"]): Touch | undefined {
  if (text === "" || text.startsWith(unknown) || text.startsWith(fedFile)) return undefined;
  const path = resolvePath(cwd, text);
  return path === undefined ? undefined : { path, glob, open: isUnknown(text), how };
}

type Written = readonly [how: Touch["how"], fields: readonly Field[]];
type Writer = (invocation: Invocation) => readonly Written[];

const all =
  (how: Touch["how"]): Writer =>
  ({ fields }) => [[how, operandsOf(fields)]];

const remove: Writer = ({ fields, args }) => [
  [hasOption(args, "rR", "recursive") ? "tree" : "delete", operandsOf(fields)],
];

const modes: Writer = ({ fields, args }) => [
  [hasOption(args, "R", "recursive") ? "tree-mode" : "mode", operandsOf(fields).slice(1)],
];

const copy: Writer = ({ fields, args }) => [["write", destinations(fields, args)]];

const editor: Writer = ({ fields, args, name }) => {
  const inPlace = name.includes("awk") ? args.includes("inplace") : hasOption(args, "i", "in-place");
  const skip = args.some((arg) => /^-[A-Za-z]*[efn]$|^--(expression|file)/.test(arg)) ? 0 : 1;
  return inPlace ? [["write", operandsOf(fields).slice(skip)]] : [];
};

const named =
  (...options: readonly string[]): Writer =>
  ({ args }) => [["write", optionValues(args, ...options).map(literalField)]];

const writers = byName<Writer>({
  "rm srm": remove,
  "rimraf trash trash-put": all("tree"),
  "unlink rmdir": all("delete"),
  "shred truncate tee sponge touch mkdir mkfifo mknod gzip gunzip xz zstd": all("write"),
  "ed ex vi vim nvim nano emacs": all("write"),
  mv: (invocation) => [["tree", sources(invocation.fields, invocation.args)], ...copy(invocation)],
  "cp install ditto scp": copy,
  rsync: (invocation) => [
    [
      invocation.args.some((arg) => arg.startsWith("--del")) ? "tree" : "write",
      destinations(invocation.fields, invocation.args),
    ],
  ],
  ln: (invocation) => [["link", operandsOf(invocation.fields)], ...copy(invocation)],
  "sed gsed perl ruby awk gawk": editor,
  "chmod chown chgrp setfacl chattr setcap chflags": modes,
  "patch sqlite3": ({ fields }) => [["write", operandsOf(fields).slice(0, 1)]],
  "dd dcfldd": ({ fields }) => [["write", assigned(fields, "of")]],
  curl: named("-o", "--output", "-c", "--cookie-jar", "-D", "--dump-header"),
  wget: named("-O", "--output-document", "-P", "--directory-prefix", "-o"),
  "sort gpg": named("-o", "--output"),
  openssl: named("-out"),
  "ssh-keygen": named("-f"),
  unzip: named("-d"),
  tar: ({ args }) => [
    ["write", [...optionValues(args, "-C", "--directory"), ...archive(args)].map(literalField)],
  ],
  git: ({ args, fields }) => [
    ["write", args.includes("config") ? optionValues(args, "--file").map(literalField) : []],
    [
      "write",
      args.some((arg) => /^(checkout|restore|rm|mv|apply)$/.test(arg)) ? operandsOf(fields).slice(1) : [],
    ],
  ],
  find: (invocation) => [
    [deletes(invocation) ? "tree" : "write", deletes(invocation) ? searched(invocation.fields) : []],
    ["write", optionValues(invocation.args, "-fprint", "-fprintf", "-fls").map(literalField)],
  ],
  "apply_patch applypatch": ({ args, stdin }) => [
    ["write", patched([...args, stdin ?? ""].join("\n")).map(literalField)],
  ],
});

function operandsOf(fields: readonly Field[]): readonly Field[] {
  const args = fields.slice(1);
  const end = args.findIndex((field) => field.text === "--");
  const before = end < 0 ? args : args.slice(0, end);
  return [...before.filter((field) => !/^-./.test(field.text)), ...(end < 0 ? [] : args.slice(end + 1))];
}

/** The last operand or the value of `-t`, and the names that the sources get inside it. */
function destinations(fields: readonly Field[], args: readonly string[]): readonly Field[] {
  const given = optionValues(args, "-t", "--target-directory").filter((value) => value !== "");
  const last = operandsOf(fields).at(-1);
  const targets = given.length > 0 ? given.map(literalField) : last === undefined ? [] : [last];
  const names = sources(fields, args).map(({ text }) => text.slice(text.lastIndexOf("/") + 1));
  const inside = targets.flatMap((target) =>
    names.slice(0, 100).map((name) => ({ ...target, text: `${target.text}/${name}` })),
  );
  return [...targets, ...inside];
}

function sources(fields: readonly Field[], args: readonly string[]): readonly Field[] {
  const found = operandsOf(fields);
  return optionValues(args, "-t", "--target-directory").length > 0 ? found : found.slice(0, -1);
}

const assigned = (fields: readonly Field[], name: string): readonly Field[] =>
  fields
    .filter(({ text }) => text.startsWith(`${name}=`))
    .map((field) => ({ ...field, text: field.text.slice(name.length + 1) }));

/** The archive that tar would write. */
const archive = (args: readonly string[]): readonly string[] =>
  hasOption(args.slice(0, 1), "c", "create") || /^[a-z]*c[a-z]*$/.test(args[0] ?? "")
    ? [...optionValues(args, "--file"), args[1] ?? ""]
    : [];

export function deletes({ name, args }: Invocation): boolean {
  if (name !== "find" && name !== "fd" && name !== "fdfind") return false;
  return args.some(
    (arg, index) =>
      arg === "-delete" ||
      (/^(-exec|-execdir|-ok|-okdir|-x|-X|--exec)$/.test(arg) &&
        /(^|\/)(rm|unlink|shred|srm)$/.test(args[index + 1] ?? "")),
  );
}

/** The folders that find goes through. */
function searched(fields: readonly Field[]): readonly Field[] {
  const args = fields.slice(1);
  const end = args.findIndex(({ text }) => /^[-(!]/.test(text) && !/^-[HLPO]/.test(text));
  const roots = (end < 0 ? args : args.slice(0, end)).filter(({ text }) => !text.startsWith("-"));
  return roots.length > 0 ? roots : [literalField(".")];
}

/** The files that a patch in codex's own form names. */
function patched(text: string): readonly string[] {
  return Array.from(
    text.matchAll(/^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm),
    ([, path = ""]) => path.trim(),
  );
}
