import type { Loaded } from "../../config/config.ts";
import { type Incoming, Refusal } from "../../core/host.ts";
import type { Store } from "../../store/store.ts";

type RuntimeName = Loaded["config"]["model"]["runtime"];

/** What new sessions of this process run on. It can change while the settings, as they were read, cannot. */
export type DefaultRuntime = {
  current(): RuntimeName;
  /** What the settings say, which may be one that cannot be used. */
  setting(): RuntimeName;
  set(runtime: RuntimeName): Promise<void>;
  /** An input as the agent is to get it: one for a new session in which nobody chose a runtime names the new default. */
  applyTo(incoming: Incoming): Incoming;
};

const key = "runtime_edit";

export function defaultRuntime({ config }: Loaded, { meta }: Pick<Store, "meta">): DefaultRuntime {
  const first = config.model.runtime;
  let current = first;
  let setting = config.model.unusableRuntime ?? first;
  return {
    current: () => current,
    setting: () => setting,
    async set(runtime) {
      if (config.model.from.runtime === "environment") throw outranked(setting);
      const { writeDefaultRuntime } = await import("../../config/default-runtime.ts");
      await writeDefaultRuntime(config.paths.config, runtime, {
        load: () => meta.get(key),
        save: (text) => meta.set(key, text),
      });
      current = runtime;
      setting = runtime;
    },
    applyTo(incoming) {
      const { session, choices } = incoming;
      if (current === first || typeof session === "string" || session.audience === "guests") return incoming;
      if (session.runtime !== undefined || choices?.runtime !== undefined) return incoming;
      return { ...incoming, session: { ...session, runtime: current } };
    },
  };
}

const outranked = (runtime: RuntimeName): Refusal =>
  new Refusal(
    "config",
    `The variable TALARIA_RUNTIME says ${runtime} and outranks config.yaml, so a change there would have no effect. Nothing was changed.`,
    "Unset TALARIA_RUNTIME and start again, or change this session alone with /runtime.",
  );
