import { tmpdir } from "node:os";
import type { AgentDeps } from "../../agent/index.ts";
import type { Hub } from "../../agent/hub.ts";
import { tieFiles } from "../../approvals/bound-files.ts";
import { type Broker, makeBroker } from "../../approvals/broker.ts";
import { folderIdentity } from "../../approvals/folder-identity.ts";
import type { PolicySettings } from "../../approvals/policy/policy.ts";
import type { TieOf } from "../../approvals/tie.ts";
import type { Auxiliary } from "../../core/auxiliary.ts";
import type { LiveTasks } from "../../work/index.ts";
import type { Foundation } from "../foundation.ts";
import { adviser } from "./smart.ts";

type Needs = Foundation & {
  readonly policy: PolicySettings;
  readonly auxiliary: Auxiliary;
  readonly watchers: Pick<Hub, "isWatchedByPerson">;
  readonly tieOf?: TieOf | undefined;
};

/** What commands would run here. */
export const hostTie = ({ env, homeDir }: Pick<Foundation, "env" | "homeDir">): TieOf =>
  // Where commands find their programs, and where any of them may write.
  tieFiles({
    path: env["PATH"] ?? "/usr/bin:/bin",
    home: homeDir,
    temporary: ["/tmp", "/var/tmp", tmpdir()],
  });

/** Questions and answers, as the settings want them. */
export function hostBroker({ policy, auxiliary, watchers, ...needs }: Needs): Broker {
  return makeBroker({
    ...needs,
    settings: policy,
    timeoutMs: needs.loaded.config.approvals.timeoutMs,
    isFollowed: watchers.isWatchedByPerson,
    folderId: folderIdentity,
    tieOf: needs.tieOf ?? hostTie(needs),
    ...(policy.mode === "smart" ? { advise: adviser(auxiliary) } : {}),
  });
}

/** A delegated task asks where it was handed on. */
export const asking =
  (broker: Broker, tasks: Pick<LiveTasks, "asking">): AgentDeps["asking"] =>
  (turn) =>
    tasks.asking(turn.session) ?? broker.asking(turn);
