import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** What a model wants to have done, and what makes it something else after the yes. */
export type Rewrite = {
  readonly name: string;
  readonly does: { readonly command: string } | { readonly act: string };
  /** The same words or, for a tool, other arguments. */
  readonly again?: { readonly act: string };
  /** Makes it do `mark` in the folder: first something good, then something else. */
  readonly set: (mark: string, folder: string) => Promise<void>;
};

/** Each leaves the file `mark` when it runs. */
export const rewrites = (trips: string): readonly Rewrite[] => {
  const touch = (mark: string): string => `touch ${join(trips, mark)}`;
  return [
    {
      name: "script",
      does: { command: "bash s.sh" },
      set: (mark, folder) => put(folder, "s.sh", `${touch(mark)}\n`),
    },
    {
      name: "program",
      does: { command: "./s.sh" },
      set: (mark, folder) => put(folder, "s.sh", `#!/bin/sh\n${touch(mark)}\n`),
    },
    {
      name: "package",
      does: { command: "npm run --silent x" },
      set: (mark, folder) => put(folder, "package.json", JSON.stringify({ scripts: { x: touch(mark) } })),
    },
    {
      name: "makefile",
      does: { command: "make" },
      set: (mark, folder) => put(folder, "Makefile", `all:\n\t${touch(mark)}\n`),
    },
    {
      name: "interpreter",
      does: { command: "node f.js" },
      set: (mark, folder) =>
        put(folder, "f.js", `require("node:fs").writeFileSync(${JSON.stringify(join(trips, mark))}, "")\n`),
    },
    {
      name: "import",
      does: { command: `node -e 'require("./part.js")'` },
      set: (mark, folder) =>
        put(
          folder,
          "part.js",
          `require("node:fs").writeFileSync(${JSON.stringify(join(trips, mark))}, "")\n`,
        ),
    },
    {
      name: "path",
      does: { command: "PATH=./bin:$PATH deploy" },
      set: (mark, folder) => put(folder, "bin/deploy", `#!/bin/sh\n${touch(mark)}\n`),
    },
    {
      name: "function",
      does: { command: "source ./env.sh; deploy" },
      set: (mark, folder) => put(folder, "env.sh", `deploy() { ${touch(mark)}; }\n`),
    },
    {
      name: "alias",
      does: { command: "shopt -s expand_aliases\nsource ./env.sh\ntrue x" },
      set: (mark, folder) => put(folder, "env.sh", `alias true='${touch(mark)}; true'\n`),
    },
    {
      name: "link",
      does: { command: "./run" },
      async set(mark, folder) {
        await put(folder, `real-${mark}`, `#!/bin/sh\n${touch(mark)}\n`);
        await rm(join(folder, "run"), { force: true });
        await symlink(`real-${mark}`, join(folder, "run"));
      },
    },
    {
      name: "list",
      does: { command: "touch $(cat list)" },
      set: (mark, folder) => put(folder, "list", join(trips, mark)),
    },
    {
      name: "target",
      does: { command: "touch out" },
      async set(mark, folder) {
        await rm(join(folder, "out"), { force: true });
        await symlink(join(trips, mark), join(folder, "out"));
      },
    },
    {
      name: "arguments",
      does: { act: join(trips, "good") },
      again: { act: join(trips, "evil") },
      set: async () => {},
    },
  ];
};

async function put(folder: string, name: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, name)), { recursive: true });
  await writeFile(join(folder, name), text, { mode: 0o755 });
}
