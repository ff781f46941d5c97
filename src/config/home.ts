import { readdir } from "node:fs/promises";
import { basename, isAbsolute, join, resolve } from "node:path";
import { FaultError } from "../core/faults.ts";
import { isFolder } from "../lib/files/is-folder.ts";
import { makeFolders } from "../lib/files/make-folders.ts";
import { variable } from "./environment.ts";
import { configFault } from "./findings.ts";
import type { Finding } from "./findings.ts";
import type { Config, Flags, HomeSources, Paths } from "./settings.ts";

export type Home = { readonly profile: string; readonly home: string; readonly paths: Paths };

/** The profile that is the root home itself. */
const defaultProfile = "default";
const profileName = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** Which home is meant. Only looks: a missing root home is fine, a profile that was named must exist. */
export async function findHome(sources: HomeSources & { readonly flags: Flags }): Promise<Home> {
  const root = rootHome(sources);
  const flag = sources.flags.profile;
  const profile = flag ?? variable(sources.env, "TALARIA_PROFILE") ?? defaultProfile;
  const origin = flag === undefined ? "TALARIA_PROFILE" : "--profile";
  checkName(profile, origin);
  if (profile === defaultProfile) return { profile, home: root, paths: pathsIn(root, root) };
  const home = profileHome(root, profile);
  if (!(await isFolder(home))) throw await unknownProfile(sources, profile, origin);
  return { profile, home, paths: pathsIn(root, home) };
}

/** Names of the profiles that exist, the default one first. */
export async function listProfiles(sources: HomeSources): Promise<readonly string[]> {
  const folder = join(rootHome(sources), "profiles");
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const folders = await Promise.all(
    entries.map(async ({ name }) =>
      profileName.test(name) && (await isFolder(join(folder, name))) ? [name] : [],
    ),
  );
  return [defaultProfile, ...folders.flat().toSorted()];
}

/** Makes the home of a new profile, empty, and says where it is. */
export async function createProfile(sources: HomeSources, name: string): Promise<string> {
  checkName(name, "profile");
  const home = profileHome(rootHome(sources), name);
  if (name === defaultProfile || (await isFolder(home))) {
    throw configFault(
      [{ file: "profile", message: `${JSON.stringify(name)} exists already` }],
      `Use it with \`talaria -p ${name}\`, or choose another name.`,
    );
  }
  await makePrivateFolder(home);
  return home;
}

/** Makes the home folder when it is missing. Called before the first write, never to read. */
export const prepareHome = (config: Pick<Config, "home">): Promise<void> => makePrivateFolder(config.home);

/** Throws a storage fault: the settings are right, the disk is not. */
export async function makePrivateFolder(folder: string): Promise<void> {
  try {
    await makeFolders(folder);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new FaultError(
      {
        code: "storage",
        message: `${folder} cannot be created: ${why}`,
        next: "Make the folder writable, or set TALARIA_HOME to one that is.",
      },
      error,
    );
  }
}

/** A relative path would mean another home in every working folder. */
function rootHome({ env, homeDir }: HomeSources): string {
  const written = variable(env, "TALARIA_HOME") ?? "~/.talaria";
  const home = written.replace(/^~(?=\/|$)/, homeDir);
  if (isAbsolute(home)) return resolve(home);
  throw configFault(
    [{ file: "TALARIA_HOME", message: `expected an absolute path, got ${JSON.stringify(written)}` }],
    "Write the whole path, as in TALARIA_HOME=$HOME/.talaria-work, or leave it unset for ~/.talaria.",
  );
}

const profileHome = (root: string, name: string): string => join(root, "profiles", name);

const pathsIn = (root: string, home: string): Paths => ({
  root,
  config: join(home, "config.yaml"),
  env: join(home, ".env"),
  db: join(home, "talaria.db"),
  hosts: join(home, "host-ids"),
  logs: join(home, "logs"),
  recordings: join(home, "recordings"),
  media: join(home, "media"),
  run: join(home, "run"),
  memories: join(home, "memories"),
  skills: join(home, "skills"),
  soul: join(home, "SOUL.md"),
  workspaces: join(`${root}-work`, home === root ? defaultProfile : basename(home)),
});

function checkName(name: string, origin: string): void {
  if (profileName.test(name)) return;
  throw configFault(
    [
      {
        file: origin,
        message: `expected a profile name of a-z, 0-9, - and _ (64 at most, beginning with a letter or digit), got ${JSON.stringify(name)}`,
      },
    ],
    "Choose a name like `work` or `home-2`.",
  );
}

async function unknownProfile(sources: HomeSources, name: string, origin: string): Promise<FaultError> {
  const known = (await listProfiles(sources)).join(", ");
  const problem: Finding = {
    file: origin,
    message: `there is no profile ${JSON.stringify(name)}; existing: ${known}`,
  };
  return configFault([problem], `Choose one of those, or create it with \`talaria profile create ${name}\`.`);
}
