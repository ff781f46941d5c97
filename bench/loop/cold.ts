import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { spawnChild } from "../../src/lib/child.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { environment, modelName, newHome } from "./place.ts";
import { answer } from "./side.ts";

/** A program from its start to its end: one question to the scripted model, or nothing at all. */
export type ColdName = "node" | "talaria" | "published" | "pi";
type ColdRun = { readonly ms: number; readonly cpuMs: number; readonly done: boolean };
export type ColdRuns = Readonly<Partial<Record<ColdName, readonly ColdRun[]>>>;

type Program = {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly prints: string;
};

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
  const runs: Partial<Record<ColdName, ColdRun[]>> = {};
  for (const [name, program] of programs) {
    await once(program, options.cwd);
    runs[name] = [];
  }
  for (let at = 0; at < options.times; at += 1) {
    const order = at % 2 === 0 ? programs : programs.toReversed();
    for (const [name, program] of order) runs[name]?.push(await once(program, options.cwd));
  }
  return runs;
}

type Named = readonly [ColdName, Program];

async function allPrograms({ folder, modelUrl, published, pi }: ColdOptions): Promise<readonly Named[]> {
  const home = await newHome(folder, "cold-talaria", modelUrl);
  const env = environment(home);
  const run = (command: string): Program => ({ command, args: ["run", "hi"], env, prints: answer });
  return [
    ["node", { command: process.execPath, args: ["-e", "0"], env, prints: "" }],
    ["talaria", run(ourProgram)],
    ...(published === undefined ? [] : [["published", run(published)] as const]),
    ...(pi === undefined ? [] : [["pi", await piProgram(pi, folder, modelUrl)] as const]),
  ];
}

const ourProgram = fileURLToPath(new URL("../../bin/talaria", import.meta.url));

/** Told of the scripted model in its own way, and to look for nothing in the network. */
async function piProgram(program: string, folder: string, modelUrl: string): Promise<Program> {
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
    prints: answer,
  };
}

async function once({ command, args, env, prints }: Program, cwd: string): Promise<ColdRun> {
  const cpuBefore = await childrenCpuMs();
  const began = systemClock.monotonic();
  await using child = await spawnChild({
    command,
    args,
    cwd,
    env,
    kind: "bench-cold",
    registry: { add: async () => {}, remove: async () => {} },
    clock: systemClock,
    signal: AbortSignal.timeout(60_000),
  });
  child.closeInput();
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of child.stdout) text += decoder.decode(chunk, { stream: true });
  const { code, stderrTail } = await child.exited;
  const ms = systemClock.monotonic() - began;
  const cpuMs = (await childrenCpuMs()) - cpuBefore;
  const done = code === 0 && text.trim() === prints;
  if (!done) console.error(`${command} ${args.join(" ")} ended with ${code}: ${text}${stderrTail}`);
  return { ms, cpuMs, done };
}

/** Every Linux counts processor time for others in hundredths of a second. */
const tickMs = 10;

/** Processor time of all children that have ended. NaN where there is no /proc. */
export async function childrenCpuMs(): Promise<number> {
  const stat = await readFile("/proc/self/stat", "utf8").catch(() => "");
  // The name in the second field may hold anything, a closing bracket too.
  const [user, system] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(13, 15);
  return (Number(user) + Number(system)) * tickMs;
}
