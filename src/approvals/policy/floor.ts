import { forksForEver } from "../shell/inline-code.ts";
import { hasOption, operands } from "../shell/shell-invocation.ts";
import { unknown } from "../shell/shell-marks.ts";
import { runners } from "../shell/shell-wrappers.ts";
import { isDevice } from "./danger-system.ts";
import type { InspectedInvocation } from "./danger.ts";
import { byName, names } from "./names.ts";
import { isInside, matches, mayMean } from "./paths.ts";
import { switchesOff, endsTalaria } from "./self-defence.ts";
import type { Touch } from "./touches.ts";

/**
 * What is never done, whoever asks and whatever is switched off; the reason if a command would do it. It keeps the
 * machine, the person's home and the guard itself; everything smaller is a label and a question.
 */
export function belowFloor(inspected: readonly InspectedInvocation[]): string | undefined {
  for (const look of inspected) {
    const broken = floor.find(({ holds }) => holds(look));
    if (broken !== undefined) return broken.reason;
  }
  return endsTalaria(inspected);
}

const floor: readonly { readonly reason: string; readonly holds: (look: InspectedInvocation) => boolean }[] =
  [
    { reason: "It would wipe the system or the home folder.", holds: wipes },
    { reason: "It would overwrite a disk or a file system.", holds: overwritesDisk },
    { reason: "It would start itself without end.", holds: forks },
    { reason: "It would change who owns or may write the whole system.", holds: opensEverything },
    { reason: "It would change Talaria's own settings, keys or records.", holds: changesGuard },
    { reason: "It would switch approvals or the sandbox off.", holds: switchesOff },
  ];

function wipes(look: InspectedInvocation): boolean {
  const { name, args, touches, context } = look;
  if (/^(rm|grm|srm)$/.test(name) && args.some((arg) => arg.startsWith("--no-pres"))) return true;
  if (/^(del|erase|rd|rmdir|remove-item|ri)$/.test(name)) {
    return (
      args.some((arg) => /^[a-z]:[\\/]*\*?$/i.test(arg)) &&
      args.some((arg) => /^(\/s|-recurse|-r)$/i.test(arg))
    );
  }
  if (name === "find" && narrows(args)) return false;
  return touches.some((touch) => touch.how === "tree" && isVital(touch, context.home));
}

/** A find that looks for something particular does not delete everything. */
const narrows = (args: readonly string[]): boolean =>
  args.some((arg) =>
    /^-(i?name|i?path|i?regex|newer\w*|[acm](time|min)|size|empty|user|inum|links|perm|samefile)$/.test(arg),
  );

const vital = (
  "/ /bin /boot /dev /etc /home /lib /lib32 /lib64 /opt /proc /root /sbin /srv /sys /usr /usr/bin /usr/lib /usr/local " +
  "/usr/sbin /var /var/lib /mnt /media /Users /System /Library /Applications /Volumes /private /private/etc /private/var"
).split(" ");

/** The root, a folder the system lives in, the home or a folder around it; or all that is in one of these. */
function isVital({ path, open }: Touch, home: string): boolean {
  const parts = path.split("/");
  const whole = /^[.*?[\]!^]+$/.test(parts.at(-1) ?? "") ? parts.slice(0, -1).join("/") || "/" : path;
  if (open) return whole === `/${unknown}`;
  return [...vital, home].some((folder) => mayMean(whole, folder)) || isInside(home, whole);
}

function overwritesDisk({ name, args, touches }: InspectedInvocation): boolean {
  if (touches.some(({ path }) => isDevice(path))) return true;
  const onDevice = args.some(
    (arg) => isDevice(arg.replace(/^(?:of=|--?[\w-]+=)/, "")) || arg.includes(unknown),
  );
  if (/^(mkfs(\..+)?|mke2fs|mkswap|mkdosfs|newfs.*|wipefs|blkdiscard|shred|badblocks)$/.test(name))
    return onDevice;
  if (/^(sgdisk|gdisk|sfdisk|fdisk|cfdisk|parted)$/.test(name))
    return onDevice && !hasOption(args, "lp", "list", "print", "dump", "verify") && !args.includes("print");
  const [verb = ""] = operands(args);
  if (finals.get(name)?.test(verb) === true) return true;
  if (name === "mdadm") return args.some((arg) => arg.startsWith("--zero-super"));
  if (name === "hdparm")
    return args.some((arg) => /^--(security-erase|trim-sector|write-sector|make-bad)/.test(arg));
  return /^(lvremove|vgremove|pvremove)$/.test(name) && args.length > 0;
}

/** The words with which they do so. */
const finals = byName<RegExp>({
  cryptsetup: /^(luksFormat|erase|luksErase|luksKillSlot|reencrypt)$/,
  zpool: /^(destroy|labelclear)$/,
  zfs: /^destroy$/,
  nvme: /^(format|sanitize|write-zeroes|write-uncor)$/,
  diskutil: /^(erase\w*|zeroDisk|randomDisk|secureErase|partitionDisk|reformat|apfs)$/i,
  format: /^[a-z]:/i,
  diskpart: /./,
});

function forks({ invocation, code }: InspectedInvocation): boolean {
  return (
    forksForEver(code) ||
    (invocation.parallel && invocation.inside.includes(invocation.fields[0]?.text ?? ""))
  );
}

function opensEverything({ name, args, touches, context }: InspectedInvocation): boolean {
  if (!/^(chmod|chown|chgrp|setfacl|chattr|chflags)$/.test(name)) return false;
  if (args.some((arg) => arg.startsWith("--no-pres"))) return true;
  return touches.some((touch) => touch.how === "tree-mode" && isVital(touch, context.home));
}

/** Programs that only read the files they are given. */
const readers = names(
  "cat head tail less more grep egrep fgrep rg ag ls stat wc file diff cmp md5sum sha1sum sha256sum shasum cut uniq " +
    "test [ [[ echo printf du df realpath readlink dirname basename base64 xxd hexdump od strings cd pushd tree bat eza " +
    "exa nl tac rev sort comm column jq talaria codex id which type export declare local for read true false : " +
    "cp scp gzip zip curl wget nc openssl gpg awk gawk sed rsync",
);

/** Known writers by what they write; unknown programs as soon as a guarded path is among their arguments. */
function changesGuard({ name, args, touches, mentions, code, context }: InspectedInvocation): boolean {
  const within = name === "find" ? context.guarded.filter((path) => mayFind(args, path)) : context.guarded;
  if (touches.some((touch) => touchesGuarded(touch, within))) return true;
  if (name === "" || readers.has(name) || runners.has(name) || code !== "") return false;
  return mentions.some((touch) => !touch.open && context.guarded.some((path) => isInside(touch.path, path)));
}

/** Does a search by name leave this file out? */
function mayFind(args: readonly string[], path: string): boolean {
  const patterns = args.filter((_, index) => /^-i?name$/.test(args[index - 1] ?? ""));
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  return patterns.length === 0 || patterns.some((pattern) => matches(pattern.toLowerCase(), name));
}

/** Would this change a guarded file or folder, or anything in it? */
function touchesGuarded(touch: Touch, guarded: readonly string[]): boolean {
  return guarded.some((path) => reaches(touch, path));
}

function reaches({ path, glob, open, how }: Touch, guarded: string): boolean {
  const known = open ? knownFolder(path) : path;
  if (isInside(known, guarded)) return true;
  if (glob && ancestors(guarded).some((part, depth) => mayMean(path, part) && (depth === 0 || takesAll(how))))
    return true;
  if (glob && mayMean(upTo(path, guarded), guarded)) return true;
  return takesAll(how) && !open && isInside(guarded, path);
}

const takesAll = (how: Touch["how"]): boolean => how === "tree" || how === "tree-mode";

/** The folder before the first part that is known only when it runs. */
const knownFolder = (path: string): string => path.slice(0, path.search(/[/][^/]*[\uE100]/)) || "/";

/** The path itself first, then the folders around it. */
function ancestors(path: string): readonly string[] {
  const parts = path.split("/");
  return parts.slice(1).map((_, index) => parts.slice(0, parts.length - index).join("/"));
}

/** As many parts of a pattern as the guarded path has. */
const upTo = (pattern: string, guarded: string): string =>
  pattern.split("/").slice(0, guarded.split("/").length).join("/");
