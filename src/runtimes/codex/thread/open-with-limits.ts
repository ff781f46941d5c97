import type { NoticeEvent } from "../../../core/events.ts";
import { RpcError } from "../../../lib/rpc/rpc-message.ts";
import type { Ports } from "../../runtime.ts";
import type { AppServer } from "../process/app-server.ts";
import { threadIdOf } from "../wire/scope.ts";
import { type OwnProfile, hasProfile } from "../thread-settings/keyless-profile.ts";
import type { Limits } from "../thread-settings/limits.ts";
import { request, unsubscribe } from "./requests.ts";

/** A thread on its way: what is sent to start or resume it, within these limits and with these settings besides. */
type Opening = {
  /** Its commands are not to see keys and logins. */
  readonly wantsKeylessProfile: boolean;
  readonly plain: Limits;
  readonly params: (limited: object, more?: object) => object;
};

export type Opened = {
  readonly reply: unknown;
  /** It has the limits of a turn that nobody attends. */
  readonly keyless: boolean;
  /** Its limits are a profile of ours, which does not go away by itself. */
  readonly fenced: boolean;
  readonly notices: readonly NoticeEvent[];
};

/** With a profile of ours, if there is one; with the plain limits where codex does not accept it. */
export async function openWithLimits(
  server: AppServer,
  method: "thread/start" | "thread/resume",
  ports: Ports,
  profile: OwnProfile | undefined,
  { wantsKeylessProfile: wantsProfile, plain: plainLimits, params }: Opening,
): Promise<Opened> {
  const plainly = (): Promise<unknown> => request(server, method, params(plainLimits), ports);
  if (profile === undefined)
    return { ...plain(await plainly()), notices: wantsProfile ? [notice(tooOld)] : [] };
  const reply = await request(server, method, params(profile.params, profile.config), ports).catch(
    (error: unknown) => {
      if (error instanceof RpcError) return undefined;
      throw error;
    },
  );
  if (hasProfile(reply, profile))
    return { reply, keyless: wantsProfile, fenced: true, notices: profile.unhidden.map(unhidden) };
  const found = threadIdOf(reply);
  if ("id" in found) await unsubscribe(server, found.id, ports);
  return { ...plain(await plainly()), notices: [notice(wantsProfile ? profileMissing : doorsMissing)] };
}

const plain = (reply: unknown): Omit<Opened, "notices"> => ({ reply, keyless: false, fenced: false });

const profileMissing =
  "Codex did not take the limits for work that nobody attends: its commands may read what you may read, keys and logins too.";

const doorsMissing =
  "Codex did not take the limits that keep commands from a running `talaria serve`: they may read the token with which it is used.";

const tooOld =
  "This codex cannot hide anything from commands: those of work that nobody attends may read what you may read, keys and logins too. Update it: npm install -g @openai/codex.";

const unhidden = (place: string): NoticeEvent =>
  notice(
    `Codex cannot hide ${place} from commands, because it takes * ? [ ] in a path for a pattern. Rename that file or folder.`,
  );

const notice = (text: string): NoticeEvent => ({ type: "notice", code: "codex_limits", text });
