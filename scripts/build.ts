import { glob, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { type OutputOptions, type Plugin, build } from "rolldown";

const root = resolve(import.meta.dirname, "..");

/** Whatever is newer than this file is not in the bundle; `bin/talaria` looks. */
const stampName = "built";

/** The program, split along its import()s, and each file that is started by itself with all that it needs. */
export async function buildInto(folder: string): Promise<void> {
  const fresh = join(dirname(folder), ".cache", `build-${process.pid}`);
  await rm(fresh, { recursive: true, force: true });
  await mkdir(fresh, { recursive: true });
  try {
    // Before anything is read: what is changed from now on is newer.
    await writeFile(join(fresh, stampName), "");
    await bundle("src/main.ts", { dir: fresh, codeSplitting: { groups } });
    for await (const file of glob("src/**/*.child.ts", { cwd: root }))
      await bundle(file, { file: join(fresh, basename(file).replace(/\.ts$/, ".js")), codeSplitting: false });
    await rm(folder, { recursive: true, force: true });
    await rename(fresh, folder);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

/**
 * A turn needs most of our folders: found in one file they are there sooner than in 150. Codex is a second one. Whatever is
 * typed needs the table and what `main.ts` imports; a message to a host that runs needs little more, with all that it imports:
 * nothing of it may be in the file of a turn, nor in that of the command line, which `--version` and the like need. What few
 * turns ask for stays out of it, too: all that is in the file is evaluated with it, and schemas take long.
 */
const groups = [
  {
    name: "start",
    test: ours(
      /^(?:lib\/(?:fast-modules|own-files|source-names)|core\/(?:principal|plain-text|suggestion)|surfaces\/cli\/index)\.ts$/,
    ),
    priority: 5,
  },
  { name: "commands", test: ours(/^surfaces\/cli\/command-line\.ts$/), priority: 4 },
  {
    name: "attached",
    test: ours(/^surfaces\/(?:socket\/(?:index|attach)|cli\/(?:perform|run|turn-printer|line-input))\.ts$/),
    priority: 3,
  },
  {
    name: "turn",
    test: ours(
      /^(?!surfaces\/|models\/demo\/|runtimes\/codex\/|store\/postgres\/|tools\/mcp\/|maintenance\/|work\/(?!news\.|delegate\/)|operations\/schemas)[^/]+\//,
    ),
    priority: 2,
  },
  { name: "codex", test: ours(/^runtimes\/codex\//), priority: 1 },
];

/** Fits files of ours by their path in `src`: a clone may lie in a folder of that name. */
function ours(path: RegExp): (file: string) => boolean {
  const src = join(root, "src") + sep;
  return (file) => file.startsWith(src) && path.test(file.slice(src.length));
}

/**
 * An `import` of one of Node's modules makes a view of all that it has, and to look at some of that loads more of Node: a
 * third of the time until `--version` has answered. So what is used of it is taken from the module itself.
 */
const withoutViews: Plugin = {
  name: "without-views",
  renderChunk: (code) => ({
    code: code.replaceAll(nodeImport, (_line, whole = "", names = "", module = "") => {
      const parts = [whole, names.replaceAll(" as ", ": ")].filter((part) => part !== "");
      return parts.map((part) => `const ${part} = globalThis.process.getBuiltinModule(${module});`).join(" ");
    }),
    map: null,
  }),
};

/**
 * An import() of a file that shares a bundle file with others becomes a file that only passes on names of it, and each costs a
 * start a millisecond: whoever asks takes the names themselves.
 */
const withoutPassingOn: Plugin = {
  name: "without-passing-on",
  generateBundle(_options, files) {
    const chunks = Object.values(files).filter((file) => file.type === "chunk");
    const passing = chunks.flatMap((chunk) => {
      const [, names = "", from] = passedOn.exec(chunk.code) ?? [];
      if (from === undefined || chunks.some(({ imports }) => imports.includes(chunk.fileName))) return [];
      const taken = names.replaceAll(
        /([\w$]+)(?: as ([\w$]+))?/g,
        (_all, name, as = name) => `${as}: all.${name}`,
      );
      return [{ chunk, instead: `import("${from}").then((all) => ({ ${taken} }))` }];
    });
    for (const { chunk, instead } of passing) {
      const asked = `import("./${chunk.fileName}")`;
      for (const other of chunks) other.code = other.code.replaceAll(asked, instead);
      delete files[chunk.fileName];
      delete files[`${chunk.fileName}.map`];
    }
  },
};

const passedOn = /^export \{ ([^}]+) \} from "(\.\/[^"]+)";\s*(?:\/\/#.*\s*)?$/;

const nodeImport = /^import (?:(?:\* as )?([\w$]+))?(?:, )?(\{ [^}]* \})? from ("node:[^"]+");$/gm;

/**
 * They find their own files by their place, or look for packages that nobody here has; and the libraries of chat apps are as large as
 * all the rest, for the few hosts that have a bot.
 */
const outside = ["playwright-core", "grammy", /^@slack\//, "discord.js"];

const bundle = (input: string, output: OutputOptions) =>
  build({
    cwd: root,
    input,
    platform: "node",
    tsconfig: false,
    plugins: [withoutViews, withoutPassingOn],
    external: outside,
    // In one file with who asks for it, on purpose: see `groups`.
    checks: { ineffectiveDynamicImport: false },
    output: {
      format: "esm",
      entryFileNames: "[name].js",
      chunkFileNames: "[name]-[hash].js",
      comments: { legal: true, annotation: false, jsdoc: false },
      sourcemap: true,
      sourcemapExcludeSources: true,
      // As they are seen from the folder beside `src` in which the bundle will be.
      sourcemapPathTransform: (source, map) => join("..", relative(root, resolve(dirname(map), source))),
      ...output,
    },
  });

if (import.meta.main) await buildInto(join(root, "dist"));
