import { sessionGrantMs } from "../../src/approvals/answer.ts";
import type { Choice, Question } from "../../src/core/asking.ts";
import type { Principal } from "../../src/core/principal.ts";
import { type Scene, timeoutMs } from "./scene.ts";

/** One thing that happens. Those that take time are waited for only by chance. */
export type Step = (scene: Scene) => Promise<void>;

/** Each as often as it stands here. */
export function randomStep({ random }: Scene): Step {
  return steps[random.pick(weights)];
}

const principals: readonly Principal[] = [
  { id: "ann", surface: "cli", role: "owner", local: true },
  { id: "ann", surface: "telegram", role: "owner", local: false },
  { id: "bob", surface: "telegram", role: "member", local: false },
  { id: "bob", surface: "slack", role: "member", local: false },
  { id: "eve", surface: "telegram", role: "guest", local: false },
  { id: "mal", surface: "cli", role: "program", local: true },
];
const choices: readonly Choice[] = ["once", "once", "once", "session", "always", "deny"];

const steps = {
  async ask(scene) {
    const talk = scene.random.pick(scene.talks);
    scene.ask(talk, questionOf(scene), scene.random.oneIn(10) ? "none" : "ask");
  },

  async answer(scene) {
    await anyAnswer(scene);
  },

  /** A question and a yes to it, so that there are grants to meet. */
  async agreed(scene) {
    await steps.ask(scene);
    await scene.settle();
    const id = scene.shown.at(-1);
    if (id === undefined) return;
    const choice = scene.random.pick(["once", "session", "always"] as const);
    await scene.answer(id, choice, principals[0]!, scene.random.pick(scene.processes));
  },

  /** Two surfaces at the same moment, perhaps in two processes. */
  async race(scene) {
    if (scene.shown.length === 0) return;
    const id = scene.random.pick(scene.shown.slice(-2));
    await Promise.all([anyAnswer(scene, id), anyAnswer(scene, id)]);
  },

  async repeat(scene) {
    const last = scene.given.at(-1);
    if (last === undefined) return;
    const through = last.through.alive ? last.through : scene.processes[0]!;
    await scene.answer(last.id, last.choice, last.by, through);
  },

  async time(scene) {
    await scene.clock.advance(scene.random.pick([1, 400, 1000, 1000, 2000]));
  },

  async silence(scene) {
    await scene.clock.advance(timeoutMs);
  },

  async hours(scene) {
    await scene.clock.advance(sessionGrantMs);
  },

  /** Everything of one conversation is stopped. */
  async stop(scene) {
    await scene.settle();
    for (const request of scene.random.pick(scene.talks).connection.open) request.abort.abort();
  },

  /** Codex settles a request by itself; we hear of it at once or later. */
  async resolved(scene) {
    await scene.settle();
    const { connection } = scene.random.pick(scene.talks);
    const request = connection.open.at(-1);
    if (request === undefined) return;
    connection.resolved(request);
    if (scene.random.oneIn(2)) request.abort.abort();
  },

  /** Codex's process is replaced, and numbers its requests anew. */
  async replaced(scene) {
    await scene.settle();
    const talk = scene.random.pick(scene.talks);
    const before = scene.shown.at(-1);
    const gone = talk.connection.replaced();
    const heard = scene.random.oneIn(2);
    if (heard) for (const request of gone) request.abort.abort();
    // The turn goes on there, and asks under the numbers of before.
    const last = gone.at(-1)?.id ?? -1;
    for (let id = 0; id <= last; id++) scene.ask(talk, asking(scene, "b"), "ask");
    if (before === undefined || scene.random.oneIn(2)) return;
    await scene.settle();
    await scene.answer(before, "once", principals[0]!, scene.random.pick(scene.processes));
  },

  /** The turn is stopped in the very moment in which an answer is written. */
  async stoppedAtAnswer(scene) {
    await scene.settle();
    const [only, ...others] = scene.open();
    if (only === undefined || others.length > 0 || scene.shown.length === 0) return;
    const moment = scene.random.pick(["before update", "after update", "after commit"] as const);
    let updated = false;
    scene.world.onStatement = (sql, when) => {
      updated ||= sql.startsWith('update "approval"');
      if (!updated || !`${when} ${sql}`.startsWith(moment)) return;
      scene.world.onStatement = () => {};
      scene.count("stops in the moment of an answer");
      only.request.abort.abort();
    };
    await anyAnswer(scene, scene.shown.at(-1));
    await scene.settle();
    scene.world.onStatement = () => {};
  },

  /** A process is killed wherever it is; another one takes over its conversations. */
  async crash(scene) {
    if (scene.random.oneIn(2)) await scene.settle();
    const victim = scene.random.pick(scene.processes);
    victim.alive = false;
    scene.gone.add(victim.owner.pid);
    const next = scene.newProcess();
    scene.processes = scene.processes.map((each) => (each === victim ? next : each));
    for (const talk of scene.talks.filter(({ process }) => process === victim)) {
      talk.process = next;
      talk.connection.replaced();
    }
    if (!scene.random.oneIn(3)) await next.broker.reconcile();
  },

  async revoke(scene) {
    const { grants } = scene.world.handles[1];
    const ours = (await grants.list({ at: scene.clock.now() })).filter((grant) =>
      isOurs(scene, grant.summary),
    );
    const grant = ours.at(scene.random.below(2));
    if (grant === undefined || !(await grants.revoke(grant.id, scene.clock.now()))) return;
    scene.revoked.set(grant.id, (scene.stamp += 1));
    scene.count("revoked");
  },

  async folder(scene) {
    scene.folder += 1;
  },
} satisfies Record<string, Step>;

const weights = Object.entries({
  ask: 6,
  agreed: 5,
  answer: 6,
  race: 4,
  repeat: 1,
  time: 3,
  silence: 1,
  hours: 1,
  stop: 1,
  resolved: 2,
  replaced: 2,
  stoppedAtAnswer: 2,
  crash: 1,
  revoke: 1,
  folder: 1,
}).flatMap(([name, times]) => Array.from({ length: times }, () => name as keyof typeof steps));

async function anyAnswer(scene: Scene, id = lately(scene)): Promise<void> {
  if (id === undefined) return;
  const { random } = scene;
  const by = random.oneIn(3) ? random.pick(principals) : random.pick(principals.slice(0, 2));
  await scene.answer(id, random.pick(choices), by, random.pick(scene.processes));
}

/** Mostly one of the newest questions, sometimes one that is long over. */
function lately({ random, shown }: Scene): Scene["shown"][number] | undefined {
  if (shown.length === 0) return undefined;
  return random.oneIn(4) ? random.pick(shown) : random.pick(shown.slice(-2));
}

export const isOurs = (scene: Scene, summary: string): boolean => summary.startsWith(scene.name);

/** Of the same few actions, so that grants meet what they were given for. */
function questionOf(scene: Scene): Question {
  return asking(scene, scene.random.pick(["a", "a", "a", "a", "b", "unknown", "harmless", "floor"]));
}

function asking(scene: Scene, kind: "a" | "b" | "unknown" | "harmless" | "floor"): Question {
  const summary = `${scene.name} ${kind}`;
  const base = { tool: "act", args: { summary }, cwd: "/work", effect: "external", summary } as const;
  if (kind === "unknown") return { ...base, action: { kind: "change", changes: undefined } };
  if (kind === "harmless") return { ...base, effect: "none", action: { kind: "tool" } };
  if (kind === "floor") return { ...base, action: { kind: "command", command: "rm -rf /", fence: "none" } };
  return { ...base, action: { kind: "tool" } };
}
