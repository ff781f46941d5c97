import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { newId } from "../../core/ids.ts";
import { messageText } from "../../core/messages.ts";
import { short } from "../../core/plain-text.ts";
import type { Clock } from "../../lib/clock.ts";
import type { TurnReport, TestWorld } from "./world.ts";

/** Not a failure: why the step cannot be done here. */
export class Skipped extends Error {}

/** A failure with a better next step than the usual one. */
export class Failed extends Error {
  readonly next: string;
  constructor(message: string, next: string) {
    super(message);
    this.next = next;
  }
}

/** Resolves with what was seen; throws why it is not so. */
export type Step = { readonly name: string; run(world: TestWorld, clock: Clock): Promise<string> };

const secretWord = "quicksilver";

/** In this order: later ones use what earlier ones have left. */
export const steps: readonly Step[] = [
  { name: "store", run: writtenAndReadBack },
  { name: "tool on the loop", run: toolOnLoop },
  { name: "approval on the loop", run: (world) => refusal(world, "loop") },
  { name: "codex", run: codexStarts },
  { name: "command on codex", run: commandOnCodex },
  { name: "approval on codex", run: onCodex((world) => refusal(world, "codex")) },
  { name: "switch of runtime", run: onCodex(switching) },
  { name: "search", run: search },
  { name: "recovery", run: onCodex(recovery) },
];

async function writtenAndReadBack(world: TestWorld): Promise<string> {
  done(await world.say(`the word is ${secretWord}`, { runtime: "loop" }));
  const client = await world.reopen();
  const messages = await client.call("sessions.messages", { session: world.session });
  const roles = messages.map(({ message }) => message.role).join(", ");
  const first = messages[0];
  if (first === undefined || !messageText(first.message).includes(secretWord))
    throw new Error(`after closing and opening it, the store has other messages: ${roles || "none"}`);
  return `a turn was written, and read back after closing it (${roles})`;
}

async function toolOnLoop(world: TestWorld): Promise<string> {
  const report = done(await world.say("write notes.txt: winged sandals", { runtime: "loop" }));
  const text = await readFile(join(world.cwd, "notes.txt"), "utf8").catch(() => "");
  if (!text.includes("winged sandals")) throw new Error(`the file was not written: ${lastOutput(report)}`);
  return `${report.calls.map(({ tool }) => tool).join(", ")} wrote a file`;
}

/** Asked and denied means not done. */
async function refusal(world: TestWorld, runtime: "loop" | "codex"): Promise<string> {
  const file = join(world.cwd, `keep-${runtime}.txt`);
  await writeFile(file, "keep me\n");
  const session = newId("ses", 0);
  const report = await world.say(`run rm -rf ${file}`, { runtime, session });
  if (!existsSync(file)) throw new Error("the file is gone although the answer was No");
  if (report.asked === 0) throw new Error(`nobody was asked: ${lastOutput(report)}`);
  done(report);
  return "a deletion was asked about, denied, and not done";
}

const afterCodex = new WeakMap<TestWorld, string | undefined>();

async function codexStarts(world: TestWorld): Promise<string> {
  const ready = await (await world.host()).call("runtime.readiness", { runtime: "codex" });
  if (!ready.ok) {
    afterCodex.set(world, ready.fault.message);
    throw new Skipped(`${ready.fault.message} → ${ready.fault.next}`);
  }
  const report = await world.say("hello", { runtime: "codex", session: newId("ses", 0) });
  if (report.outcome !== "done") afterCodex.set(world, "codex did not start");
  done(report);
  return `${ready.detail} answered`;
}

function onCodex(run: (world: TestWorld, clock: Clock) => Promise<string>): Step["run"] {
  return (world, clock) => {
    const why = afterCodex.get(world);
    if (why !== undefined) throw new Skipped(`needs codex: ${why}`);
    return run(world, clock);
  };
}

/** `.git` is what its sandbox keeps as it is wherever the folder may be. */
function commandOnCodex(world: TestWorld, clock: Clock): Promise<string> {
  return onCodex(async () => {
    await mkdir(join(world.cwd, ".git"), { recursive: true });
    const command = "run echo in > inside.txt; echo out > .git/outside.txt";
    const report = await world.say(command, { runtime: "codex", session: newId("ses", 0) });
    const [inside, outside] = [join(world.cwd, "inside.txt"), join(world.cwd, ".git", "outside.txt")].map(
      existsSync,
    );
    if (outside)
      throw new Failed("a command on codex wrote where its sandbox should not let it", sandboxStep);
    if (!inside)
      throw new Failed(`codex could not run a command in its sandbox: ${lastOutput(report)}`, sandboxStep);
    done(report);
    return "a command wrote in its folder, and could not write outside of its sandbox";
  })(world, clock);
}

const sandboxStep =
  "Let programs make user namespaces (on Linux: bubblewrap installed, kernel.unprivileged_userns_clone=1), or use a machine or container that does.";

async function switching(world: TestWorld): Promise<string> {
  for (const runtime of ["codex", "loop"] as const) {
    const report = done(await world.say("what did I say first?", { runtime }));
    if (!report.text.includes(secretWord))
      throw new Error(`${runtime} was not told what was said before: ${short(report.text, 200)}`);
  }
  return "loop → codex → loop, and each knew what was said before";
}

async function search(world: TestWorld): Promise<string> {
  const hits = await (await world.host()).call("sessions.search", { text: secretWord, limit: 10 });
  if (!hits.some(({ session }) => session === world.session))
    throw new Error(`a word that was said is not found (${hits.length} hits)`);
  return `${hits.length} ${hits.length === 1 ? "place" : "places"} found`;
}

async function recovery(world: TestWorld): Promise<string> {
  const session = newId("ses", 0);
  let killed = false;
  const report = await world.say("run sleep 60", {
    runtime: "codex",
    session,
    onEvent(event) {
      const server = world.children.findLast(({ kind }) => kind.includes("codex"));
      if (killed || server === undefined || event.type !== "begin" || event.item.kind !== "call") return;
      killed = true;
      process.kill(server.pid, "SIGKILL");
    },
  });
  if (!killed) throw new Error(`there was no codex to kill: ${report.fault?.message ?? lastOutput(report)}`);
  if (report.fault?.code !== "lost") throw new Error(`the turn ended as ${report.outcome}, not as lost`);
  done(await world.say("hello again", { runtime: "codex", session }));
  return "codex was killed in a turn; the turn said so, and the next one worked";
}

function done(report: TurnReport): TurnReport {
  if (report.outcome === "done") return report;
  const { message = `the turn ended as ${report.outcome}`, next } = report.fault ?? {};
  throw next === undefined ? new Error(message) : new Failed(message, next);
}

const lastOutput = ({ calls, text, fault }: TurnReport): string =>
  short(fault?.message ?? calls.at(-1)?.output ?? text, 200) || "there was no call";
