import * as fc from "../../test/seeded.ts";
import type { World } from "./world.ts";

/** `kind`: what is hostile about it, for the count. */
export type HostilePath = { readonly kind: string; readonly path: string };

/** Paths that a model could think of to get out of its folder. `reads`: also those that name files of the system. */
export function hostilePaths(world: World, reads: boolean): fc.Arbitrary<HostilePath> {
  const kinds = { ...within(world), ...beyond(world), ...(reads ? system(world) : {}) };
  return fc.oneof(
    ...Object.entries(kinds).map(([kind, paths]) => paths.map((path): HostilePath => ({ kind, path }))),
  );
}

type Kinds = Readonly<Record<string, fc.Arbitrary<string>>>;

const names = ["a", "b.txt", "deep", "b", "c", "d", "new", "absent", "hard.txt", "flip", "flip.txt", "p.png"];
const ways = [
  "out",
  "up",
  "file",
  "dangling",
  "self",
  "chain",
  "swap",
  "key",
  "hooks",
  "notes",
  "state-link",
];

const oneOf = (values: readonly string[]): fc.Arbitrary<string> => fc.constantFrom(...values);
const joined = (step: fc.Arbitrary<string>, most = 6): fc.Arbitrary<string> =>
  fc.array(step, { minLength: 1, maxLength: most }).map((steps) => steps.join("/"));
const plainStep = oneOf(names);

/** Names of the folder itself, written in odd ways. */
function within({ cwd }: World): Kinds {
  const plain = joined(plainStep, 4);
  return {
    links: joined(fc.oneof(oneOf(ways), plainStep), 4),
    swapped: joined(oneOf(["flip", "flip.txt", "a", "p.png", "swap", "new"]), 3),
    credentials: oneOf([
      ".env",
      ".ssh/id_ed25519",
      ".aws/credentials",
      "auth.json",
      ".netrc",
      "deep/../.env",
    ]),
    "own settings": fc
      .tuple(oneOf(["state", "state-link", "deep/../state", `${cwd}/state`]), oneOf(ownFiles))
      .map((steps) => steps.join("/")),
    "start-up files": oneOf([
      ".bashrc",
      ".git/hooks/pre-commit",
      ".git/config",
      "hooks/x",
      ".vscode/settings.json",
    ]),
    "special files": oneOf(["pipe", "socket", "socket/a", "pipe/", "hard.txt", "deep"]),
    "trailing signs": fc
      .tuple(plain, oneOf(["/", "//", "/.", ".", " ", "\t", "\\", "/..", "./", " /"]))
      .map((both) => both.join("")),
    "letter case": joined(oneOf([...ways, ...names].map((name) => name.toUpperCase())), 4),
    "normal forms": joined(
      oneOf(["e\u0301", "\u00e9", "\ufb01le", "\u212b", "a\u030a", "\uff0e\uff0e", "\uff0f", "\u2025"]),
      4,
    ),
    patterns: joined(
      oneOf(["*", "**", "?", "[a-z]", "{out,up}", "!(a)", "o*t", "$HOME", "$(pwd)", "`id`", "-rf"]),
      4,
    ),
  };
}

const ownFiles = [
  "p.png",
  "config.yaml",
  ".env",
  "logs/talaria.log",
  "recordings/r.jsonl",
  "talaria.db",
  "new",
  "../state/x",
];

/** Ways to somewhere else. */
function beyond({ top, home, cwd, outside }: World): Kinds {
  const far = oneOf([
    "outside/a",
    "outside/deep/a",
    "outside/new/x",
    "outside/p.png",
    "home/p.png",
    "outside/.env",
    "home/.bashrc",
    "home/.ssh/id_ed25519",
  ]);
  const climbing = fc.array(
    oneOf(["..", "..", "deep/..", ".", "", "out/..", "up", "absent/..", ".. ", "...", "..\\"]),
    {
      minLength: 1,
      maxLength: 8,
    },
  );
  return {
    traversal: fc.tuple(climbing, far).map(([up, rest]) => [...up, rest].join("/")),
    absolute: fc
      .tuple(oneOf([`${top}/`, `/${top}/`, `${top}//`, `${cwd}/../../`, `${outside}/../`]), far)
      .map((two) => two.join("")),
    home: oneOf([
      "~",
      "~/",
      "~/.ssh/id_ed25519",
      "~root/.bashrc",
      "~+/a",
      "$HOME/.ssh/id_ed25519",
      `${home}/.bashrc`,
      `${home}/.codex/auth.json`,
      `${home}/.codex/config.toml`,
      `${home}/.config/autostart/x.desktop`,
    ]),
    addresses: fc
      .tuple(
        oneOf(["file://", "file:", "FILE:///", "data:,", "http://localhost", "\\\\?\\", "\\\\host\\share\\"]),
        far,
      )
      .map(([form, path]) => `${form}${top}/${path}`),
    encoded: fc
      .tuple(
        oneOf(["%2e%2e/", "%2e%2e%2f", "..%2f", "..%c0%af", "%252e%252e/", "..;/", "\u002e\u002e/"]),
        far,
      )
      .map(([up, path]) => up.repeat(4) + path),
    windows: oneOf([
      "C:",
      "C:\\Windows",
      "..\\..\\outside\\a",
      "\\\\.\\pipe\\x",
      "CON",
      "NUL",
      "a:stream",
      "deep\\..\\..\\a",
      "AUX.txt",
      "//server/share",
    ]),
    "hidden characters": fc
      .tuple(
        oneOf([
          "\0",
          "a\0b",
          "\u202e..",
          "..\u200b",
          "\u2066a",
          "\u001b[2K",
          "a\nb",
          "\r",
          "\u0007",
          "\ud800",
          "\ufeff..",
        ]),
        far,
      )
      .map((two) => two.join("/")),
    "very long": fc
      .tuple(fc.integer({ min: 200, max: 6000 }), oneOf(["x", "../", "./", "deep/../", "a/"]))
      .map(([length, piece]) => piece.repeat(Math.ceil(length / piece.length))),
    "any text": fc.string({ minLength: 1, maxLength: 20, unit: fc.anyCharacter }),
    "any steps": joined(
      fc.oneof(oneOf([...names, ...ways, "..", ".", "", "~"]), fc.string({ maxLength: 4 })),
      8,
    ),
  };
}

/** Files of this machine. Not for what writes: a guard that fails must not hurt it. */
function system({ cwd, outside }: World): Kinds {
  const inside = oneOf(["a", "deep/a", "../../outside/a", "state/config.yaml", ".env"]);
  return {
    "proc and dev": fc
      .tuple(
        oneOf([
          `/proc/self/root${cwd}/`,
          "/proc/self/cwd/",
          `/proc/self/root${outside}/`,
          `/proc/${process.pid}/cwd/`,
          "root/proc/self/cwd/",
          "/proc/thread-self/root/",
        ]),
        inside,
      )
      .map((two) => two.join("")),
    devices: oneOf([
      "/dev/fd/0",
      "/dev/stdin",
      "/dev/zero",
      "/dev/tty",
      "/proc/self/fd/1",
      "/proc/self/mem",
      "/proc/self/environ",
      "/proc/1/environ",
      "zero",
      "mine",
      "root/dev/zero",
    ]),
    "system files": oneOf([
      "/etc/passwd",
      "/etc/shadow",
      "root/etc/passwd",
      "//etc//passwd",
      "/etc/./passwd",
      "deep/../root/etc/hosts",
    ]),
  };
}
