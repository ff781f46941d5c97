import type { Stats } from "node:fs";
import { chmod, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Facts } from "./facts.ts";
import { type Finding, type Probe, fine, withFix, note, sizeText, wrong } from "./probe.ts";

/** Who else may read what is in the home. */
export const fileProbes = (facts: Facts): readonly Probe[] => [
  { name: "home", look: async () => [await homeCheck(facts)] },
  { name: "files", look: () => fileChecks(facts) },
];

async function homeCheck({ location: { home } }: Facts): Promise<Finding> {
  const found = await infoOf(home);
  if (found === undefined) return note("home", `${home} is not there yet; it is made with the first turn`);
  if (!found.isDirectory())
    return wrong("home", `${home} is not a folder`, "Move that file away, or set TALARIA_HOME to a folder.");
  const mode = found.mode & 0o777;
  const detail = `${home} (mode ${mode.toString(8)})`;
  if (isForeign(found))
    return wrong(
      "home",
      `${detail} belongs to another user (${found.uid})`,
      `sudo chown -R "$(id -u)" ${home}`,
    );
  if ((mode & 0o077) === 0) return fine("home", detail);
  const open = wrong("home", `${detail} can be read by others`, `chmod 700 ${home}`);
  return withFix(open, () => restrict(home, 0o700));
}

async function fileChecks({ location: { home, paths } }: Facts): Promise<readonly Finding[]> {
  const others = ((await infoOf(home))?.mode ?? 0) & 0o077;
  const files = [paths.env, paths.config, paths.db, `${paths.db}-wal`, `${paths.db}-shm`];
  const known = await Promise.all(files.map(async (file) => ({ file, found: await infoOf(file) })));
  const there = known.flatMap(({ file, found }) => (found === undefined ? [] : [{ file, found }]));
  const open = there.filter(({ found }) => (found.mode & 0o077) !== 0);
  if (there.length > 0 && open.length === 0)
    return [fine("files", "settings, keys and sessions are yours alone")];
  return open.map(({ file, found }) => {
    const detail = `${file} (mode ${(found.mode & 0o777).toString(8)}) is open to others by its own mode`;
    // The folder keeps them out of the rest, but keys must be safe by themselves.
    const finding = (file === paths.env || others !== 0 ? wrong : note)("files", detail, `chmod 600 ${file}`);
    return withFix(finding, () => restrict(file, 0o600));
  });
}

async function restrict(path: string, mode: number): Promise<string> {
  await chmod(path, mode);
  return `${path} is yours alone now (mode ${mode.toString(8)}).`;
}

const isForeign = ({ uid }: Stats): boolean => {
  const own = process.getuid?.();
  return own !== undefined && own !== 0 && uid !== own;
};

const infoOf = (path: string): Promise<Stats | undefined> => stat(path).catch(() => undefined);

/** Nothing that tools made is ever deleted by itself, so somebody has to say when it is a lot. */
const manyBytes = 1024 ** 3;

export const mediaProbes = ({ location }: Pick<Facts, "location">, limit = manyBytes): readonly Probe[] => [
  { name: "media", look: () => mediaCheck(location.paths.media, limit) },
];

async function mediaCheck(folder: string, limit: number): Promise<readonly Finding[]> {
  const names = await readdir(folder).catch(() => []);
  const sizes = await Promise.all(names.map((name) => sizeOf(join(folder, name))));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (bytes <= limit) return [];
  const detail = `${folder} holds ${sizeText(bytes)} of pictures and sounds that tools made`;
  return [note("media", detail, "Delete those that you do not need; Talaria keeps them all.")];
}

const sizeOf = (file: string): Promise<number> =>
  stat(file).then(
    (found) => (found.isFile() ? found.size : 0),
    () => 0,
  );
