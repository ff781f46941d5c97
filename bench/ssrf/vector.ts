/** One attempt to make a fetch reach what it must not. */
export type Vector = {
  /** What is tried; each kind is counted. */
  readonly kind: string;
  readonly url: string;
  /** What names resolve to, look-up by look-up; the last answer stays. Other names are public ones, or unknown. */
  readonly names?: Readonly<Record<string, readonly (readonly string[])[]>>;
  /** How it has to end: refused, answered by a public page, or either. Never at a canary. */
  readonly end: "refused" | "answered" | "either";
};

/** A host of the public internet, as the bench has it. */
export const publicHost = "pages.test";
export const publicAddress = "93.184.216.34";

/** A public page that redirects, and so on: the last address is where it leads. */
export function redirecting(
  port: number,
  steps: readonly number[],
  target: string,
  host = publicHost,
): string {
  return steps.reduceRight(
    (location, status) => `http://${host}:${port}/redirect/${status}/${encoded(location)}`,
    target,
  );
}

/** A public page that asks browsers, not readers, to go on. */
export const refreshing = (port: number, how: "meta" | "header", target: string): string =>
  `http://${publicHost}:${port}/refresh/${how}/${encoded(target)}`;

const encoded = (text: string): string => Buffer.from(text).toString("base64url");

/** A list as it is easiest to read. */
export const words = (text: string): readonly string[] => text.trim().split(/\s+/);
