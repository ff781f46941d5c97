import type { Principal, Scope } from "./principal.ts";
import type { Limit } from "./spend.ts";

/** A key with which a program comes in over HTTP. Of the key itself only a hash is kept. */
export type StoredKey = {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** What its turns may use in a day (UTC). */
  readonly budget?: Limit;
  readonly createdAt: number;
  readonly lastUsedAt?: number;
  readonly revokedAt?: number;
};

/** A browser that the owner lets in with a code, once. */
export type StoredDevice = Omit<StoredKey, "budget"> & {
  /** Missing: its code was not used yet. */
  readonly letInAt?: number;
};

/** What a key may be made of. */
export type NewKey = Pick<StoredKey, "name" | "scopes" | "budget">;

/** `url` has the code behind `#`, where no server and no log sees it. */
export type DeviceLink = { readonly url: string; readonly until: number; readonly device: string };

/** What whoever comes in has to prove, as hashes. A device has two halves: a script cannot read one, a form cannot send the other. */
export type KeyProof = StoredKey & { readonly hash: string };
export type DeviceProof = StoredDevice & { readonly cookie: string; readonly token: string };

/** What programs have called something: a request of theirs, a chat. */
export type NameKind = "request" | "chat" | "said" | "told" | "last" | "next" | "schema";
export type OwnName = { readonly account: string; readonly kind: NameKind; readonly name: string };

/** Who may come in over HTTP. Revoked ones are listed, and prove nothing any more. */
export interface AccessTable {
  /** False: there is a key of this name. */
  addKey(key: StoredKey, hash: string): Promise<boolean>;
  keys(): Promise<readonly StoredKey[]>;
  key(id: string): Promise<KeyProof | undefined>;
  /** By id or name. `undefined`: there is none that works. */
  revokeKey(idOrName: string, at: number): Promise<StoredKey | undefined>;
  addDevice(device: StoredDevice, code: { readonly hash: string; readonly until: number }): Promise<void>;
  /** Uses the code up. `undefined`: there is none, it was used, or it is too late. */
  letIn(
    code: string,
    proof: { readonly cookie: string; readonly token: string },
    at: number,
  ): Promise<StoredDevice | undefined>;
  devices(): Promise<readonly StoredDevice[]>;
  device(id: string): Promise<DeviceProof | undefined>;
  revokeDevice(id: string, at: number): Promise<StoredDevice | undefined>;
  /** A key or a device has come in. */
  used(id: string, at: number): Promise<void>;
  /** What turns of this key have used since then. */
  spentBy(key: string, since: number): Promise<{ readonly tokens: number; readonly usd: number }>;
  named(name: OwnName): Promise<string | undefined>;
  /** Gives it this value unless it has one; resolves with what holds. */
  claim(name: OwnName, value: string): Promise<string>;
  rename(name: OwnName, value: string): Promise<void>;
}

type Visiting = Pick<Principal, "surface" | "id">;

/** They came in with something that can be revoked. A key of the settings works as long as the program runs. */
export const isLookedAt = ({ surface, id }: Visiting): boolean =>
  (surface === "api" && id.startsWith("key_")) || (surface === "web" && id.startsWith("dev_"));

/** Does what they came in with still work? */
export async function stillWorks(
  access: Pick<AccessTable, "key" | "device">,
  who: Visiting,
): Promise<boolean> {
  if (!isLookedAt(who)) return true;
  const row = who.surface === "api" ? await access.key(who.id) : await access.device(who.id);
  return row !== undefined && row.revokedAt === undefined;
}

/** How programs and browsers reach a host that stays. */
export type HttpSettings = {
  /** Without one, nothing listens unless it is said at the start. */
  readonly port?: number;
  /** The address to listen on. */
  readonly host: string;
  /** What else a request may call this machine, exactly as in its Host header. */
  readonly hosts: readonly string[];
  /** Web pages elsewhere that may ask with a key, such as https://chat.example. */
  readonly origins: readonly string[];
  /** Files with a certificate and its key. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Somebody in front of it speaks TLS to the world. */
  readonly proxy: boolean;
  readonly bodyBytes: number;
  /** Requests of one key or device in a minute. */
  readonly perMinute: number;
  /** Requests of one key or device at once. */
  readonly concurrent: number;
  /** Names of models that clients ask for and that mean the ordinary one. */
  readonly aliases: readonly string[];
  /** Keys that are variables of the environment or of .env. */
  readonly keys: Readonly<Record<string, { readonly keyEnv: string; readonly scopes: readonly Scope[] }>>;
  readonly webhooks: Readonly<Record<string, WebhookSettings>>;
};

/** What others may send without a key. `prompt`: what the model is told to do with it. */
export type WebhookSettings = { readonly secretEnv: string; readonly prompt: string };

/** What others prove themselves with, if it cannot be guessed. */
export const longEnough = (secret: string | undefined): string | undefined =>
  secret === undefined || secret.length < shortestSecret ? undefined : secret;

const shortestSecret = 16;

/** What a door over HTTP needs of a host besides its clients. */
export type HttpBehind = {
  readonly settings: HttpSettings;
  readonly access: AccessTable;
  /** A variable of the environment or of .env, if it is long enough to let somebody in. */
  secret(name: string): string | undefined;
  /** The model for small tasks, where the main provider has it. */
  readonly smallModel?: string;
};
