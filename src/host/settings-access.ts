import { createProfile, findingText, listProfiles } from "../config/config.ts";
import { findHome } from "../config/home.ts";
import type { HomeSources } from "../config/settings.ts";

/** The settings file itself, for `talaria config`. Does not need the file to be right. */
export async function openSettings(sources: HomeSources & { readonly profile?: string }): Promise<{
  readonly file: string;
  get(key: string): Promise<string | undefined>;
  /** Resolves with what there is to say about it. */
  set(key: string, value: string): Promise<readonly string[]>;
  unset(key: string): Promise<boolean>;
}> {
  const flags = sources.profile === undefined ? {} : { profile: sources.profile };
  const { paths } = await findHome({ ...sources, flags });
  const { getConfigValue, setConfigValue, unsetConfigValue } = await import("../config/edit.ts");
  return {
    file: paths.config,
    async get(key) {
      const { value } = await getConfigValue(paths.config, key, sources.env);
      return value === undefined || typeof value === "string" ? value : JSON.stringify(value);
    },
    set: async (key, value) => (await setConfigValue(paths.config, key, value)).warnings.map(findingText),
    unset: async (key) => (await unsetConfigValue(paths.config, key)).changed,
  };
}

export const openProfiles = async (
  sources: HomeSources,
): Promise<{ list(): Promise<readonly string[]>; create(name: string): Promise<string> }> => ({
  list: () => listProfiles(sources),
  create: (name) => createProfile(sources, name),
});
