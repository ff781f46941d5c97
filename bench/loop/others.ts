import { mkdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { npm } from "../codex-versions/npm.ts";

/** Never a dependency of ours: they are installed beside everything else, when somebody wants to compare. */
const packages = {
  openai: { openai: "7.53.0", "@openai/agents": "0.20.0", zod: "4.6.7" },
  // Later ones name packages that are not published.
  pi: { "@earendil-works/pi-coding-agent": "0.87.1" },
} as const;

export type Others = {
  /** The folder with `openai` and `@openai/agents` in it. */
  readonly openai?: string;
  /** The program pi. */
  readonly pi?: string;
  readonly versions: Readonly<Record<string, string>>;
};

export const noOthers: Others = { versions: {} };

/** Whatever is there or can be installed. Says what cannot be and goes on without. */
export async function installOthers(log: (line: string) => void): Promise<Others> {
  const openai = await install("openai", log);
  const pi = await installPi(log);
  return {
    ...(openai === undefined ? {} : { openai }),
    ...(pi === undefined ? {} : { pi }),
    versions: {
      ...(openai === undefined ? {} : packages.openai),
      ...(pi === undefined ? {} : packages.pi),
    },
  };
}

/** The program pi. */
export async function installPi(log: (line: string) => void): Promise<string | undefined> {
  const folder = await install("pi", log);
  return folder && join(folder, "node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js");
}

async function install(
  name: keyof typeof packages,
  log: (line: string) => void,
): Promise<string | undefined> {
  const folder = resolve("node_modules/.cache/bench-loop", name);
  const wanted = Object.entries(packages[name]);
  if (await isThere(folder, wanted)) return folder;
  const specs = wanted.map(([one, version]) => `${one}@${version}`);
  log(`installing ${specs.join(", ")} into node_modules/.cache, without running its scripts`);
  await mkdir(folder, { recursive: true });
  const quiet = ["--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1"];
  try {
    await npm(["install", "--prefix", folder, ...specs, ...quiet]);
  } catch (error) {
    log(`left out, because it could not be installed: ${name}. ${String(error).slice(0, 500)}`);
    return undefined;
  }
  return folder;
}

async function isThere(folder: string, wanted: readonly (readonly [string, string])[]): Promise<boolean> {
  const found = await Promise.all(
    wanted.map(async ([name, version]) => {
      const file = join(folder, "node_modules", name, "package.json");
      const text = await readFile(file, "utf8").catch(() => "{}");
      return (JSON.parse(text) as { readonly version?: string }).version === version;
    }),
  );
  return found.every(Boolean);
}
