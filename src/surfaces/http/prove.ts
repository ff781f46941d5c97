import { getCookie } from "hono/cookie";
import type { Context } from "hono";
import type { HttpBehind, StoredDevice, StoredKey } from "../../core/access.ts";
import type { Caller } from "../../core/principal.ts";
import { hashOf, isSecretOf } from "../../lib/secret.ts";
import { HttpFailure } from "./failures.ts";
import type { Behind, Env, Visitor } from "./visit.ts";

export const cookieName = (secure: boolean): string => (secure ? "__Host-talaria" : "talaria");

const keyForm = /^tal_([a-z0-9]{6,24})_([A-Za-z0-9_-]{16,100})$/;

/** Who it is: by a key in a header, or by both halves of what a browser was given. That something is there proves nothing. */
export async function prove(c: Context<Env>, { http, secure }: Behind): Promise<Visitor> {
  const bearer = /^Bearer +(\S+)$/i.exec(c.req.header("Authorization") ?? "")?.[1];
  const found = bearer === undefined ? await byDevice(c, http, secure) : await byKey(bearer, http);
  if (found !== undefined) return found;
  throw new HttpFailure(
    401,
    "unauthorized",
    "This needs a key that works.",
    "Send `Authorization: Bearer KEY`; `talaria keys add NAME` makes one.",
  );
}

async function byKey(bearer: string, { access, settings, secret }: HttpBehind): Promise<Visitor | undefined> {
  for (const [name, { keyEnv, scopes }] of Object.entries(settings.keys)) {
    const own = secret(keyEnv);
    if (own !== undefined && isSecretOf(hashOf(own), bearer))
      return keyVisitor({ id: `settings:${name}`, name, scopes, createdAt: 0 });
  }
  const [, id, given] = keyForm.exec(bearer) ?? [];
  if (id === undefined || given === undefined) return undefined;
  const key = await access.key(`key_${id}`);
  const matches = isSecretOf(key?.hash ?? nobody, given);
  return key !== undefined && matches && key.revokedAt === undefined ? keyVisitor(key) : undefined;
}

/** Compared with when there is no such key, so that it takes the same time. */
const nobody = hashOf("nobody");

async function byDevice(
  c: Context<Env>,
  { access }: HttpBehind,
  secure: boolean,
): Promise<Visitor | undefined> {
  const [id = "", cookie = ""] = (getCookie(c, cookieName(secure)) ?? "").split(".");
  const token = c.req.header("X-Talaria-Token") ?? "";
  if (id === "" || cookie === "" || token === "") return undefined;
  const device = await access.device(id);
  const matches = [
    isSecretOf(device?.cookie ?? nobody, cookie),
    isSecretOf(device?.token ?? nobody, token),
  ].every(Boolean);
  return device !== undefined && matches && device.revokedAt === undefined
    ? deviceVisitor(device)
    : undefined;
}

/** A program reaches its own sessions; with `admin` it stands for the owner, who is elsewhere. */
function keyVisitor({ id, name, scopes, budget }: StoredKey): Visitor {
  const role = scopes.includes("admin") ? "owner" : "program";
  const caller: Caller = { surface: "api", id, name, role, local: false, scopes };
  return { kind: "key", id, caller, ...(budget === undefined ? {} : { budget }) };
}

export const deviceVisitor = ({ id, name, scopes }: StoredDevice): Visitor => ({
  kind: "device",
  id,
  caller: { surface: "web", id, name, role: "owner", local: false, scopes },
});
