import type { NoticeEvent } from "../../../core/events.ts";
import { RpcError } from "../../../lib/rpc/rpc-message.ts";
import type { Ports } from "../../runtime.ts";
import type { AppServer } from "../process/app-server.ts";
import { threadIdOf } from "../wire/scope.ts";
import { type KeylessProfile, hasKeylessProfile } from "../thread-settings/keyless-profile.ts";
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
  readonly notices: readonly NoticeEvent[];
};

/** With the keyless profile, if there is one; with the plain limits where codex does not accept it. */
export async function openWithLimits(
  server: AppServer,
  method: "thread/start" | "thread/resume",
  ports: Ports,
  profile: KeylessProfile | undefined,
  { wantsKeylessProfile: wantsProfile, plain, params }: Opening,
): Promise<Opened> {
  const plainly = (): Promise<unknown> => request(server, method, params(plain), ports);
  if (profile === undefined)
    return { reply: await plainly(), keyless: false, notices: wantsProfile ? [notice(tooOld)] : [] };
  const reply = await request(server, method, params(profile.params, profile.config), ports).catch(
    (error: unknown) => {
      if (error instanceof RpcError) return undefined;
      throw error;
    },
  );
  if (hasKeylessProfile(reply)) return { reply, keyless: true, notices: profile.unhidden.map(unhidden) };
  const found = threadIdOf(reply);
  if ("id" in found) await unsubscribe(server, found.id, ports);
  return { reply: await plainly(), keyless: false, notices: [notice(profileMissing)] };
}

const profileMissing =
  "Codex did not take the limits for work that nobody attends: its commands may read what you may read, keys and logins too.";

const tooOld =
  "This codex cannot hide anything from commands: those of work that nobody attends may read what you may read, keys and logins too. Update it: npm install -g @openai/codex.";

const unhidden = (place: string): NoticeEvent =>
  notice(
    `Codex cannot hide ${place} from commands, because it takes * ? [ ] in a path for a pattern. Rename that file or folder.`,
  );

const notice = (text: string): NoticeEvent => ({ type: "notice", code: "codex_limits", text });
