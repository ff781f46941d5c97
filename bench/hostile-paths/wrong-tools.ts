import { mkdir, readFile, realpath, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { isInside } from "../../src/lib/sandbox/paths.ts";
import { readFileTool } from "../../src/tools/files/read-file.ts";
import type { Tool, ToolContext, ToolResult } from "../../src/tools/tool.ts";
import { writeFileTool } from "../../src/tools/files/write-file.ts";
import type { FileTool } from "./file-tools.ts";

/** Ways to be wrong about links: not to look for them, or to look and then go by the name once more. */
export const mutants = ["links are not looked at", "looks first, opens by name later"] as const;
export type Mutant = (typeof mutants)[number];

type Place = (cwd: string, path: string) => Promise<string>;

const places: Readonly<Record<Mutant, Place>> = {
  "links are not looked at": async (cwd, path) => inside(cwd, resolve(cwd, path)),
  async "looks first, opens by name later"(cwd, path) {
    const asked = resolve(cwd, path);
    const real = await realpath(asked).catch(() => realpath(dirname(asked)));
    inside(cwd, real);
    return asked;
  },
};

/** Tools as they would be without the checks that are tried here. */
export const wrongTools = (mutant: Mutant): readonly FileTool[] => {
  const place = places[mutant];
  const read = async ({ path }: Args, { cwd }: ToolContext): Promise<ToolResult> =>
    said(async () => readFile(await place(cwd, path), "utf8"));
  const write = async ({ path, content = "" }: Args, { cwd }: ToolContext): Promise<ToolResult> =>
    said(async () => {
      const target = await place(cwd, path);
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, content);
      return "written";
    });
  const reader = { ...readFileTool(), run: read } as Tool;
  const { asks: _, ...blunt } = writeFileTool;
  const writer = { ...blunt, effect: "none", run: write } as unknown as Tool;
  return [
    { tool: reader, reads: false, share: 1, calls: [(path) => ({ path })] },
    { tool: writer, reads: false, share: 1, calls: [(path) => ({ path, content: "written\n" })] },
  ];
};

type Args = { readonly path: string; readonly content?: string };

function inside(cwd: string, path: string): string {
  if (!isInside(path, cwd)) throw new Error("outside");
  return path;
}

async function said(act: () => Promise<string>): Promise<ToolResult> {
  try {
    return { ok: true, output: await act() };
  } catch (error) {
    return { ok: false, output: String(error) };
  }
}
