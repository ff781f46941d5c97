import { resolve } from "node:path";
import { createProfile, findingText, listProfiles } from "../../config/config.ts";
import { findHome } from "../../config/home.ts";
import type { BareOperation, Handlers } from "../../core/calls.ts";
import { type Principal, localOwner } from "../../core/principal.ts";
import type { OpenClient } from "../../core/host.ts";
import type { OpenHostParts } from "../../maintenance/host-parts.ts";
import type { OpenTested } from "../../maintenance/selftest/world.ts";
import type { OpenHost } from "../foundation.ts";

const edit = () => import("../../config/edit.ts");

/** Opens another host, for a trial. */
export type OpenAnother = (options: OpenHost, caller: Principal) => Promise<OpenClient>;

/** What can be done where no home can be opened: broken settings can be mended. Parts are loaded when they are used. */
export function bareHandlers(options: OpenHost, open: OpenAnother): Handlers<BareOperation> {
  const { profile, env, cwd, ...rest } = options;
  const named = profile === undefined ? {} : { profile };
  const file = async (): Promise<string> => (await findHome({ ...options, flags: named })).paths.config;
  const tested: OpenTested = (location, wrapStore) =>
    open({ ...rest, ...location, seams: { wrapStore } }, localOwner("cli"));
  return {
    "config.path": file,
    async "config.get"({ key }) {
      const { value } = await (await edit()).getConfigValue(await file(), key, env);
      if (value === undefined) return null;
      return typeof value === "string" ? value : JSON.stringify(value);
    },
    "config.set": async ({ key, value }) =>
      (await (await edit()).setConfigValue(await file(), key, value)).warnings.map(findingText),
    "config.unset": async ({ key }) => (await (await edit()).unsetConfigValue(await file(), key)).changed,
    "profiles.list": () => listProfiles(options),
    "profiles.create": ({ name }) => createProfile(options, name),
    async *"doctor.look"({ fix = false }, _caller, signal = new AbortController().signal) {
      const { openCheckUp } = await import("../../maintenance/doctor/check-up.ts");
      await using checkUp = await openCheckUp({ ...options, openParts });
      if (fix) {
        await Array.fromAsync(checkUp.look(signal));
        for (const fixed of await checkUp.fix()) yield { fixed };
      }
      for await (const check of checkUp.look(signal)) yield { check };
      yield { unreadable: checkUp.unreadable };
    },
    async *"selftest.run"(_input, _caller, signal = new AbortController().signal) {
      const { selfTest } = await import("../../maintenance/selftest/selftest.ts");
      yield* selfTest({ ...options, ...named, open: tested }, signal);
    },
    "recordings.read": async ({ file: path }) =>
      (await import("../sessions/recordings.ts")).replayFile(resolve(cwd, path)),
    "codex.program": async () => (await import("../codex/plan.ts")).codexProgram(options),
  };
}

export const openParts: OpenHostParts = async (...asked) =>
  (await import("../parts-for-maintenance.ts")).openHostParts(...asked);
