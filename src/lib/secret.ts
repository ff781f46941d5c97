import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** 256 bits that nobody can guess, for a header. */
export const newSecret = (): string => randomBytes(32).toString("base64url");

/** What is kept of a secret. It has 256 random bits, so a plain hash cannot be turned back. */
export const hashOf = (secret: string): string => createHash("sha256").update(secret).digest("base64url");

/** Of a code that people type: capitals, spaces and dashes do not matter. */
export const hashOfCode = (code: string): string => hashOf(code.toUpperCase().replaceAll(/[^A-Z0-9]/g, ""));

/** The name of the lease of whoever answers as a bot. Who reads it learns nothing of the token. */
export const botDuty = (token: string): `bot:${string}` =>
  `bot:${createHash("sha256").update(token).digest("hex")}`;

/** In the same time whatever it is: both sides are hashes, of one length. */
export const isSecretOf = (hash: string, secret: string): boolean => {
  const [known, given] = [Buffer.from(hash), Buffer.from(hashOf(secret))];
  return known.length === given.length && timingSafeEqual(known, given);
};
