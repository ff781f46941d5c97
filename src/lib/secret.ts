import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** 256 bits that nobody can guess, for a header. */
export const newSecret = (): string => randomBytes(32).toString("base64url");

/** What is kept of a secret. It has 256 random bits, so a plain hash cannot be turned back. */
export const hashOf = (secret: string): string => createHash("sha256").update(secret).digest("base64url");

/** In the same time whatever it is: both sides are hashes, of one length. */
export const isSecretOf = (hash: string, secret: string): boolean => {
  const [known, given] = [Buffer.from(hash), Buffer.from(hashOf(secret))];
  return known.length === given.length && timingSafeEqual(known, given);
};
