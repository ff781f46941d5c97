import { visionAnalyzeTool } from "../../src/tools/media/vision-analyze.ts";
import { patchTool } from "../../src/tools/files/patch.ts";
import { readFileTool } from "../../src/tools/files/read-file.ts";
import { searchFilesTool } from "../../src/tools/files/search-files.ts";
import type { Tool } from "../../src/tools/tool.ts";
import { writeFileTool } from "../../src/tools/files/write-file.ts";
import type { World } from "./world.ts";

/** A tool that takes a path from a model. */
export type FileTool = {
  readonly tool: Tool;
  /** It changes nothing. */
  readonly reads: boolean;
  /** How often it is called, against the others: a search takes a thread of its own. */
  readonly share: number;
  /** What a model could call it with to reach that path. */
  readonly calls: readonly ((path: string) => Record<string, unknown>)[];
};

/** Sees what it is given, byte by byte. */
const vision = (guarded: readonly string[], mediaFolder: string): Tool =>
  visionAnalyzeTool({
    describe: async ({ base64 }) => ({ text: Buffer.from(base64, "base64").toString("latin1") }),
    unavailable: () => undefined,
    places: { mediaFolder, guarded },
    access: { isKnown: async () => false, hasSecret: () => false, askUnknown: true, allowPrivate: [] },
    fetch: async () => ({ ok: false, why: "there is no network here" }),
  }) as unknown as Tool;

/** Every tool that touches files. One that is added and has no row here is not tried. */
export const fileTools = ({ guarded, media }: World): readonly FileTool[] => [
  {
    tool: readFileTool(guarded) as Tool,
    reads: true,
    share: 120,
    calls: [(path) => ({ path }), (path) => ({ path, offset: 1, limit: 3 })],
  },
  {
    tool: writeFileTool as Tool,
    reads: false,
    share: 90,
    calls: [(path) => ({ path, content: "written\n" })],
  },
  {
    tool: patchTool as Tool,
    reads: false,
    share: 89,
    calls: [
      (path) => ({ path, edits: [{ old: "e", new: "E", all: true }] }),
      (path) => ({ path, edits: [{ old: "canary", new: "x", all: true }] }),
    ],
  },
  {
    tool: vision(guarded, media),
    reads: true,
    share: 60,
    calls: [
      (path) => ({ image: path, question: "What is it?" }),
      (path) => ({ image: `${media}/${path}`, question: "What is it?" }),
    ],
  },
  {
    tool: searchFilesTool(guarded) as Tool,
    reads: true,
    share: 1,
    calls: [
      (path) => ({ path, pattern: "." }),
      (path) => ({ path, pattern: ".", kind: "name" }),
      (path) => ({ pattern: "canary", glob: path.slice(0, 500) }),
      (path) => ({ pattern: path.slice(0, 1000), kind: "name" }),
    ],
  },
];
