import { type Method, loaded, threadId } from "./session.ts";
import { begin } from "./turn-methods.ts";

/** What a client asks besides threads and turns, with just enough in the answers. */
export const accountRead: Method = async ({ script }, _, respond) => {
  const { account, requiresOpenaiAuth } = script.account ?? { account: null, requiresOpenaiAuth: false };
  await respond({ account, requiresOpenaiAuth, workspaceRouting: null });
};

export const modelList: Method = async ({ script }, _, respond) => {
  await respond({ data: script.models.map((name, at) => model(name, at === 0)), nextCursor: null });
};

const model = (name: string, isDefault: boolean): object => ({
  id: name,
  model: name,
  upgrade: null,
  upgradeInfo: null,
  availabilityNux: null,
  displayName: name,
  description: "",
  modelSpecialty: null,
  hidden: false,
  supportedReasoningEfforts: [{ reasoningEffort: "medium", description: "" }],
  defaultReasoningEffort: "medium",
  inputModalities: ["text", "image"],
  supportsPersonality: false,
  multiAgentVersion: null,
  additionalSpeedTiers: [],
  serviceTiers: [],
  defaultServiceTier: null,
  availableAccessPrograms: null,
  isDefault,
});

/** Only what the script or the command line set; codex adds a page of defaults. */
export const configRead: Method = async ({ config }, _, respond) => {
  await respond({ config, origins: {}, layers: null });
};

export const loadedList: Method = async ({ threads }, _, respond) => {
  await respond({ data: [...threads.keys()], nextCursor: null });
};

export const unsubscribe: Method = async (session, params, respond) => {
  const known = session.threads.has(threadId(params));
  await respond({ status: known ? "unsubscribed" : "notLoaded" });
};

/** A turn of its own, with nothing in it but the item. */
export const compactStart: Method = async (session, params, respond) => {
  const live = loaded(session, threadId(params));
  const steps = [{ unknownItem: { type: "contextCompaction" } }] as const;
  begin(session, live, { input: [], clientId: null }, steps, () => respond({}));
};
