import { codexCut } from "./codex-cut.ts";
import type { Cut } from "./cut.ts";
import type { Mutant } from "./job.ts";
import { ownCut } from "./own-cut.ts";
import type { Size } from "./sizes.ts";

export type KillReport = {
  /** Frames of the conversation when nothing is killed. */
  readonly frames: { readonly real: number; readonly fake: number };
  /** Cuts of each kind that were wanted, and those in which something was really killed. */
  readonly wanted: Counts;
  readonly cuts: Counts;
  /** Cuts after which the conversation went on in the thread of before. The others came before there was one. */
  readonly resumed: Counts;
  /** From the SIGKILL of the real codex to the end of its turn. */
  readonly noticedMs: { readonly p50: number; readonly max: number };
  readonly broken: readonly string[];
  /** What the checker said of each mutant; nothing means that it is blind. */
  readonly mutants: Readonly<Record<Mutant, readonly string[]>>;
};

type Kind = "real" | "fake" | "ours";
type Counts = Readonly<Record<Kind, number>>;

/** Kills codex and ourselves after the frames of a conversation, and looks after each what is left of it. */
export async function killRun(size: Size, log: (line: string) => void): Promise<KillReport> {
  const cutOf = {
    real: (after: number) => codexCut("real", after),
    fake: (after: number) => codexCut("fake", after),
    ours: ownCut,
  };
  const [real, fake] = await Promise.all([codexCut("real"), codexCut("fake")]);
  // The last frames of the real one may not come in every run.
  const last = { real: real.frames - 3, ours: real.frames - 3, fake: fake.frames };
  const kinds = ["real", "fake", "ours"] as const;
  const points = kinds.flatMap((kind) => spread(last[kind], size[kind]).map((after) => ({ kind, after })));
  const cuts: { readonly kind: Kind; readonly cut: Cut }[] = [];
  const allCuts = inParallel(points, 2, async ({ kind, after }) => {
    cuts.push({ kind, cut: await cutOf[kind](after) });
    if (cuts.length % 20 === 0) log(`${cuts.length} of ${points.length} cuts`);
  });
  const forgetThread = firstBroken(fake, (after) => codexCut("fake", after, "forget-thread"));
  const noRecovery = firstBroken(real, (after) => cutOf.ours(after, "no-recovery"));
  const [found] = await Promise.all([mutants(forgetThread, noRecovery, log), allCuts]);
  const count = (fits: (cut: Cut) => boolean): Counts =>
    Object.fromEntries(
      kinds.map((kind) => [kind, cuts.filter((each) => each.kind === kind && fits(each.cut)).length]),
    ) as Counts;
  const noticed = cuts.flatMap(({ kind, cut }) => (kind === "real" ? (cut.noticedMs ?? []) : []));
  return {
    frames: { real: real.frames, fake: fake.frames },
    wanted: count(() => true),
    cuts: count(({ killed }) => killed),
    resumed: count(({ killed, resumed }) => killed && resumed),
    noticedMs: { p50: quantile(noticed, 0.5), max: quantile(noticed, 1) },
    broken: [real, fake, ...cuts.map(({ cut }) => cut)].flatMap((cut) => cut.broken),
    mutants: found,
  };
}

/** C1 allows a second to notice; three times that for a busy machine. */
const slowestMs = 3_000;

export const passes = (
  { broken, mutants: found, wanted, cuts, noticedMs }: KillReport,
  { least }: Size,
): boolean =>
  broken.length === 0 &&
  Object.values(found).every((lines) => lines.length > 0) &&
  Object.entries(wanted).every(([kind, many]) => cuts[kind as Kind] >= Math.max(many, least)) &&
  noticedMs.max < slowestMs;

async function mutants(
  forgetThread: Promise<readonly string[]>,
  noRecovery: Promise<readonly string[]>,
  log: (line: string) => void,
): Promise<KillReport["mutants"]> {
  const found = { "forget-thread": await forgetThread, "no-recovery": await noRecovery };
  for (const [mutant, broken] of Object.entries(found)) log(`${mutant}: ${broken[0] ?? "not noticed"}`);
  return found;
}

/** Kills where it matters: when a result has come that is not yet kept. A frame more or less may come before it. */
async function firstBroken(
  { commandFrames: [frame = 1] }: Cut,
  cutAt: (after: number) => Promise<Cut>,
): Promise<readonly string[]> {
  for (const after of [frame, frame + 1, frame - 1]) {
    const { broken } = await cutAt(after);
    if (broken.length > 0) return broken;
  }
  return [];
}

/** So many numbers from 1 to `last`, evenly spread. */
function spread(last: number, wanted: number | "every"): readonly number[] {
  const many = wanted === "every" ? last : Math.min(wanted, last);
  return Array.from({ length: many }, (_, at) => Math.ceil(((at + 0.5) * last) / many));
}

async function inParallel<T>(
  all: readonly T[],
  width: number,
  job: (one: T) => Promise<void>,
): Promise<void> {
  const queue = [...all];
  const lane = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await job(next);
  };
  await Promise.all(Array.from({ length: width }, lane));
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
}
