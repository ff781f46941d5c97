import type { Agent } from "../../agent/index.ts";
import { newId } from "../../core/ids.ts";
import { localOwner } from "../../core/principal.ts";
import { isSameProcess } from "../../lib/process/process-identity.ts";
import type { HostToolBox } from "../tools/tool-box.ts";
import type { HostShell } from "../tools/shell.ts";
import { endOrphans } from "../../maintenance/orphans.ts";
import type { Owner } from "../../store/store.ts";
import type { CardRuns } from "../../work/card-runs/card-runs.ts";
import type { Workspaces } from "../../work/card-runs/workspaces.ts";
import type { WorkSource } from "../../work/dispatch/dispatcher.ts";
import type { Foundation } from "../foundation.ts";

export type CardParts = Foundation & {
  readonly shell: Pick<HostShell, "check">;
  readonly toolBox: HostToolBox;
};

/** Where cards are worked on. */
export async function hostWorkspaces({ loaded, env, clock }: Foundation): Promise<Workspaces> {
  const { workspaces } = await import("../../work/card-runs/workspaces.ts");
  return workspaces({ root: loaded.config.paths.workspaces, env, clock });
}

/** What works on cards in this process. */
export async function cardWork(parts: CardParts, agent: Agent, closing: AbortSignal): Promise<CardRuns> {
  const { cardRuns } = await import("../../work/card-runs/card-runs.ts");
  const { store, isGone, clock, loaded, shell } = parts;
  return cardRuns({
    ...parts,
    agent,
    settings: loaded.config.work,
    workspaces: await hostWorkspaces(parts),
    check: shell.check,
    whyMute: (session) => whyMute(parts, session),
    endLeft: async (owner) => {
      const isIts = (other: Owner): boolean => other.host === parts.owner.host && isSameProcess(other, owner);
      await endOrphans(store, (other) => isGone(other) || isIts(other), clock);
    },
    closing,
  });
}

/** Before a model is asked: are the tools there by which a worker reports, where its session runs? */
async function whyMute(
  { store, toolBox, clock, loaded }: CardParts,
  id: Parameters<Agent["release"]>[0],
): Promise<string | undefined> {
  const session = await store.sessions.get(id);
  if (session === undefined) return "its session is gone";
  const { cwd, runtime = loaded.config.model.runtime } = session;
  const turn = newId("trn", clock.now());
  const context = { session: id, turn, cwd, from: localOwner("cli"), audience: "owner", clock } as const;
  const box = await toolBox({ ...context, ask: nobody, inquire: nobody });
  const needed = ["kanban_complete", "kanban_block"];
  const { offeredToCodex } = await import("../../runtimes/codex/thread-settings/offered-tools.ts");
  const missing = needed.filter(
    (name) =>
      !box.specs.some((spec) => spec.name === name) || (runtime === "codex" && !offeredToCodex.has(name)),
  );
  return missing.length === 0 ? undefined : `${missing.join(" and ")} are switched off (\`talaria tools\`)`;
}

const nobody = (): Promise<never> => Promise.reject(new Error("nobody is asked"));

/** Both kinds of work, by where an input comes from. `most`: runs at once of what is no card. */
export function joinedSource(others: WorkSource, cards: WorkSource, most: number): WorkSource {
  let running = 0;
  return {
    async plan(lease) {
      const times = [await others.plan(lease), await cards.plan(lease)].filter((at) => at !== undefined);
      return times.length === 0 ? undefined : Math.min(...times);
    },
    async run(input) {
      if (input.work?.origin === "card") return cards.run(input);
      if (running >= most) return "later";
      running += 1;
      try {
        return await others.run(input);
      } finally {
        running -= 1;
      }
    },
  };
}
