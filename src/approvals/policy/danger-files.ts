import { agentFiles, instructsAgents } from "../../core/agent-files.ts";
import type { InspectedInvocation, Rule } from "./danger.ts";
import { holdsSecrets, isSensitive } from "./sensitive-paths.ts";
import { names } from "./names.ts";
import { isInside, mayMean } from "./paths.ts";
import { hasOption } from "../shell/shell-invocation.ts";
import { type Touch, deletes } from "./touches.ts";

const removers = names("rm srm rimraf trash trash-put grm del erase rd remove-item ri");

/** Rules about files and folders. */
export const fileRules: readonly Rule[] = [
  { label: "recursive-delete", holds: deletesTree },
  { label: "delete", holds: ({ name }) => removers.has(name) || name === "unlink" },
  {
    label: "erase",
    holds: ({ name }) => name === "shred" || name === "wipe" || name === "scrub" || name === "truncate",
  },
  {
    label: "instructs-agents",
    holds: ({ touches }) => touches.some(mayInstruct),
  },
  {
    label: "sensitive-write",
    holds: ({ touches, context }) => touches.some(({ path }) => isSensitive(path, context.cwd, context.home)),
  },
  {
    label: "system-write",
    holds: ({ touches, context }) =>
      touches.some(
        ({ path }) => isSystem(path) && !isInside(path, context.cwd) && !isAtHome(path, context.home),
      ),
  },
  {
    label: "outside-write",
    holds: ({ touches, context }) =>
      touches.some(({ path, how }) => how !== "link" && isOutside(path, context.cwd)),
  },
  { label: "secrets", holds: namesSecrets },
  { label: "permissions", holds: changesPermissions },
];

function mayInstruct({ path, glob }: Touch): boolean {
  if (instructsAgents(path)) return true;
  const folder = path.slice(0, path.lastIndexOf("/"));
  return glob && agentFiles.some((name) => mayMean(path, `${folder}/${name}`));
}

function deletesTree({ name, args, invocation, touches }: InspectedInvocation): boolean {
  if (removers.has(name) && hasOption(args, "rR", "recursive")) return true;
  if (name === "rimraf" || name === "trash" || name === "trash-put") return true;
  if (
    /^(del|erase|rd|rmdir|remove-item|ri)$/.test(name) &&
    args.some((arg) => /^(\/s|-recurse|-r)$/i.test(arg))
  )
    return true;
  if (deletes(invocation)) return true;
  if (name === "rsync" && args.some((arg) => /^--(del|remove-source)/.test(arg))) return true;
  if (name === "mv" && args.at(-1) === "/dev/null") return true;
  return name !== "mv" && touches.some(({ how }) => how === "tree");
}

const systemFolders =
  /^\/(etc|usr|bin|sbin|lib|lib32|lib64|boot|root|proc|sys|opt|srv|var|system|library|applications|private\/etc|private\/var)(\/|$)/i;

/** Some have their home deep in such a folder: root, and users that only run a service. Whatever else is named as one is none. */
const isAtHome = (path: string, home: string): boolean => homeFolders.test(home) && isInside(path, home);

const homeFolders = /^\/((var\/)?root|(var|srv|opt)(\/[^/]+){2,})$/;

const isSystem = (path: string): boolean => systemFolders.test(path) && !isTemporary(path);

export const isTemporary = (path: string): boolean =>
  /^\/(tmp|var\/tmp|private\/tmp|private\/var\/(tmp|folders)|var\/folders|dev\/shm)(\/|$)/.test(path);

/** Files of /dev that hold nothing. */
export const isHarmlessDevice = (path: string): boolean =>
  /^\/dev\/(null|zero|full|u?random|tty\w*|pts\/\d+|ptmx|console|std(in|out|err)|fd\/\d+|shm|tcp\/.*|udp\/.*)(\/.*)?$/.test(
    path,
  );

const isOutside = (path: string, cwd: string): boolean =>
  !(cwd.startsWith("/") && isInside(path, cwd)) && !isTemporary(path) && !isHarmlessDevice(path);

/** Programs whose arguments are texts, not files. */
const speakers = names("echo printf export test [ [[ alias for basename dirname");

function namesSecrets({ name, mentions, invocation, context }: InspectedInvocation): boolean {
  const inputs = invocation.redirects.length > 0;
  if (speakers.has(name) && !inputs) return false;
  return mentions.some(
    ({ path }) => holdsSecrets(path) || context.guarded.some((guarded) => isInside(path, guarded)),
  );
}

function changesPermissions({ name, args }: InspectedInvocation): boolean {
  if (/^(setfacl|chattr|setcap|chflags|icacls|takeown)$/.test(name)) return true;
  if (name === "chown" || name === "chgrp") return true;
  if (name !== "chmod") return false;
  if (hasOption(args, "R", "recursive")) return true;
  return args.some((arg) => arg.length < longestMode && widening.test(arg));
}

const longestMode = 64;

/** Write for others, or the rights of the owner for whoever runs it. */
const widening =
  /^[0-7]?[0-7][0-7][2367]$|^[0-7]?[0-7][2367][0-7]$|^[2-7][0-7]{3}$|[ao][a-z]*[+=][rx]*w|^\+w|[ugoa]*[+=][rwx]*s|^=.*w/;
