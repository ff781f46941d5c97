import { tellAfterTurn } from "../../agent/following/after-turn.ts";
import type { Hub } from "../../agent/hub.ts";
import { type ReviewerWithNews, reviewTurns } from "../../learning/review/reviewer.ts";
import type { Runtime } from "../../runtimes/runtime.ts";
import type { Foundation } from "../foundation.ts";
import { type Preparation, preparation } from "../prompt/instructions.ts";
import { type HostToolBox, namesOn } from "../tools/tool-box.ts";
import { type HostLearned, hostLearned } from "./learned-access.ts";
import { type Learning, openLearning } from "./learning.ts";
import { hostReviewer } from "./reviews.ts";

type Needs = Foundation & {
  readonly runtimes: Readonly<Record<string, Runtime>>;
  readonly toolBox: HostToolBox;
  readonly watchers: Pick<Hub, "tell">;
};

/** Memory and skills, what a session's model is told of them, and who writes them. */
export type HostLearning = {
  readonly learning: Learning;
  readonly prepare: Preparation;
  readonly reviews: ReviewerWithNews;
  readonly learned: HostLearned;
};

export function hostLearning({ watchers, ...needs }: Needs): HostLearning {
  const { config } = needs.loaded;
  const tell = tellAfterTurn({ ...needs, watchers });
  const turns = reviewTurns();
  const learning = openLearning({
    ...needs,
    config,
    isReview: turns.has,
    toolNames: () => namesOn(needs.toolBox),
  });
  const prepare = preparation(config.paths.soul, learning.prompts);
  const reviews = hostReviewer({ ...needs, prepare, turns, tell });
  return {
    learning,
    prepare,
    reviews,
    learned: hostLearned({ ...needs, learning, tell, reviewer: reviews }),
  };
}
