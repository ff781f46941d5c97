import type { Agent } from "../../agent/index.ts";
import type { Titles } from "../../agent/titles.ts";
import type { Broker } from "../../approvals/broker.ts";
import type { PolicySettings } from "../../approvals/policy/policy.ts";
import type { McpServers } from "../../core/tooling.ts";
import type { Reviewer } from "../../learning/index.ts";
import type { Runtime } from "../../runtimes/runtime.ts";
import type { LiveTasks } from "../../work/index.ts";
import type { Closing } from "../closing.ts";
import type { Foundation } from "../foundation.ts";
import type { HostLearned } from "../learning/learned-access.ts";
import type { DefaultRuntime } from "../models/default-runtime.ts";
import type { Preparation } from "../prompt/instructions.ts";
import type { SessionAddresses } from "../tools/known-addresses.ts";
import type { HostShell } from "../tools/shell.ts";
import type { HostToolBox } from "../tools/tool-box.ts";
import type { OpenAnother } from "./bare.ts";

/** All parts of a host that callers see something of. */
export type Joined = Foundation & {
  readonly open: OpenAnother;
  readonly runtimes: Readonly<Record<string, Runtime>>;
  readonly runtime: DefaultRuntime;
  readonly policy: PolicySettings;
  readonly prepare: Preparation;
  readonly agent: Agent;
  readonly broker: Broker;
  readonly toolBox: HostToolBox;
  readonly mcp: McpServers;
  readonly addresses: SessionAddresses;
  readonly tasks: LiveTasks;
  readonly shell: HostShell;
  readonly titling: Titles;
  readonly reviews: Reviewer;
  readonly learned: HostLearned;
  readonly closing: Closing;
  readonly dispose: () => Promise<void>;
};
