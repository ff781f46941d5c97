import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type StartedProgram, type WholeRun, wholeRun } from "../whole-run.ts";
import { environment, modelName, newHome } from "./place.ts";
import { answer } from "./side.ts";

/** A program from its start to its end: one question to the scripted model, or nothing at all. */
export type ColdName = "node" | "talaria" | "published" | "pi";
export type ColdRuns = Readonly<Partial<Record<ColdName, readonly WholeRun[]>>>;

export type Program = Omit<StartedProgram, "cwd">;

type ColdOptions = {
  readonly folder: string;
  readonly cwd: string;
  readonly modelUrl: string;
  /** The program of Talaria as npm would install it. */
  readonly published?: string;
  readonly pi?: string;
  readonly times: number;
};

/** In turns. The first run of each makes its home and its compile cache and is not counted. */
export async function coldRuns(options: ColdOptions): Promise<ColdRuns> {
  const programs = await allPrograms(options);
  const once = (program: Program): Promise<WholeRun> => wholeRun({ ...program, cwd: options.cwd });
  const runs: Partial<Record<ColdName, WholeRun[]>> = {};
  for (const [name, program] of programs) {
    await once(program);
    runs[name] = [];
  }
  for (let at = 0; at < options.times; at += 1) {
    const order = at % 2 === 0 ? programs : programs.toReversed();
    for (const [name, program] of order) runs[name]?.push(await once(program));
  }
  return runs;
}

const answered = new RegExp(`^\\s*${answer}\\s*$`);

type Named = readonly [ColdName, Program];

async function allPrograms({ folder, modelUrl, published, pi }: ColdOptions): Promise<readonly Named[]> {
  const home = await newHome(folder, "cold-talaria", modelUrl);
  const env = environment(home);
  const run = (command: string): Program => ({ command, args: ["run", "hi"], env, says: answered });
  return [
    ["node", { command: process.execPath, args: ["-e", "0"], env, says: /^$/ }],
    ["talaria", run(ourProgram)],
    ...(published === undefined ? [] : [["published", run(published)] as const]),
    ...(pi === undefined ? [] : [["pi", await piProgram(pi, folder, modelUrl)] as const]),
  ];
}

const ourProgram = fileURLToPath(new URL("../../bin/talaria", import.meta.url));

/** Told of the scripted model in its own way, and to look for nothing in the network. */
export async function piProgram(program: string, folder: string, modelUrl: string): Promise<Program> {
  const home = join(folder, "cold-pi");
  const settings = join(home, ".pi", "agent");
  await mkdir(join(home, "tmp"), { recursive: true });
  await mkdir(settings, { recursive: true });
  const scripted = {
    baseUrl: modelUrl,
    api: "openai-responses",
    apiKey: "none",
    models: [{ id: modelName }],
  };
  await writeFile(join(settings, "models.json"), JSON.stringify({ providers: { scripted } }));
  const { TALARIA_HOME: _, ...env } = environment(home);
  return {
    command: process.execPath,
    args: [program, "--print", "--provider", "scripted", "--model", modelName, "hi"],
    env: { ...env, PI_OFFLINE: "1" },
    says: answered,
  };
}
