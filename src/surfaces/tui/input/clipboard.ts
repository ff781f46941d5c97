import type { Clock } from "../../../lib/clock.ts";
import { type CommandResult, runCommand } from "../../../lib/process/command.ts";
import { type Variables, setVariables } from "../../../lib/process/variables.ts";
import { type NoPicture, type Picture, pictureLimits, pictureOf } from "../../../lib/picture.ts";

/** A way to read the clipboard: a script for `sh`, made of fixed words only. Exit code 127: not installed. */
type Reader = {
  readonly program: string;
  readonly script: string;
  readonly bytes: (output: string) => Buffer;
};

const patienceMs = 4_000;
const { maxBytes } = pictureLimits;
const instead = "Write @path/to/picture.png instead.";

/** The picture on the clipboard, or in words why there is none and what to do. Never rejects. */
export async function clipboardPicture(
  env: Variables,
  clock: Clock,
  signal: AbortSignal,
  platform: string = process.platform,
): Promise<Picture | { readonly none: string }> {
  const readers = readersFor(env, platform);
  if (readers.length === 0) return { none: `${noClipboard(env)} ${instead}` };
  const missing: string[] = [];
  for (const reader of readers) {
    const read = await run(reader, env, clock, signal);
    if (read === undefined || read.timedOut) return { none: `${reader.program} did not answer. ${instead}` };
    if (read.code !== 127) return pictureIn(reader.bytes(read.stdout));
    missing.push(reader.program);
  }
  const names = missing.join(" or ");
  return { none: `To read pictures from the clipboard, ${names} has to be installed. ${instead}` };
}

function pictureIn(bytes: Buffer): Picture | { readonly none: string } {
  const found: Picture | NoPicture = pictureOf("clipboard.png", bytes);
  if (!("why" in found)) return { ...found, name: `clipboard.${found.mediaType.replace("image/", "")}` };
  if (found.why === "too_big")
    return { none: "The picture on the clipboard is larger than 20 MiB. Scale it down first." };
  return { none: `There is no picture on the clipboard. Copy one, or write @path/to/picture.png.` };
}

function readersFor(env: Variables, platform: string): readonly Reader[] {
  if (platform === "darwin") return [pngpaste, osascript];
  return [...(isSet(env["WAYLAND_DISPLAY"]) ? [wlPaste] : []), ...(isSet(env["DISPLAY"]) ? [xclip] : [])];
}

const isSet = (value: string | undefined): boolean => value !== undefined && value !== "";

const noClipboard = (env: Variables): string =>
  isSet(env["SSH_CONNECTION"]) || isSet(env["SSH_TTY"])
    ? "Over ssh the clipboard is on the other machine, and cannot be read here."
    : "There is no clipboard here: neither WAYLAND_DISPLAY nor DISPLAY is set.";

async function run(
  { script }: Reader,
  env: Variables,
  clock: Clock,
  signal: AbortSignal,
): Promise<CommandResult | undefined> {
  const command = {
    command: "sh",
    args: ["-c", script],
    cwd: "/",
    env: setVariables(env, (name) => needed.has(name)),
    clock,
    signal,
    timeoutMs: patienceMs,
    // Base64 and hexadecimal take up to twice the room, line ends a little more.
    maxOutputBytes: 3 * maxBytes,
  };
  return await runCommand(command).catch(() => undefined);
}

/** The rest may hold secrets. */
const needed: ReadonlySet<string> = new Set(
  "PATH HOME LANG DISPLAY XAUTHORITY WAYLAND_DISPLAY XDG_RUNTIME_DIR".split(" "),
);

const fromBase64 = (output: string): Buffer => Buffer.from(output, "base64");
/** One more than allowed, so that too much can be told from just enough. */
const encoded = `head -c ${maxBytes + 1} | base64`;

/** Asks what is there, then for the first kind of picture that is. */
const firstKind = (kinds: string, read: string): string =>
  `kinds=$(${kinds} 2>/dev/null)
for kind in image/png image/jpeg image/webp image/gif; do
  case "$kinds" in *"$kind"*) ${read} "$kind" 2>/dev/null | ${encoded}; exit 0;; esac
done`;

const installed = (program: string): string => `command -v ${program} >/dev/null || exit 127\n`;

const wlPaste: Reader = {
  program: "wl-paste (wl-clipboard)",
  script: installed("wl-paste") + firstKind("wl-paste --list-types", "wl-paste --no-newline --type"),
  bytes: fromBase64,
};

const xclip: Reader = {
  program: "xclip",
  script:
    installed("xclip") +
    firstKind("xclip -selection clipboard -t TARGETS -o", "xclip -selection clipboard -o -t"),
  bytes: fromBase64,
};

const pngpaste: Reader = {
  program: "pngpaste",
  script: `${installed("pngpaste")}pngpaste - 2>/dev/null | ${encoded}`,
  bytes: fromBase64,
};

/** Comes with the system, and writes the bytes as hexadecimal digits: `«data PNGf89504E…»`. */
const osascript: Reader = {
  program: "osascript",
  script: `${installed("osascript")}osascript -e 'the clipboard as «class PNGf»' 2>/dev/null`,
  bytes: (output) => Buffer.from(/PNGf([0-9A-F]+)/i.exec(output)?.[1] ?? "", "hex"),
};
