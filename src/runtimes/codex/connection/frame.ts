import type { Gone } from "../process/gone.ts";

export type NotificationFrame = {
  readonly kind: "notification";
  readonly method: string;
  readonly params: unknown;
};

export type RequestFrame = {
  readonly kind: "request";
  readonly id: string | number;
  readonly method: string;
  readonly params: unknown;
  /** The first answer counts, later ones do nothing. */
  respond(result: unknown): void;
  fail(code: number, message: string): void;
};

export type GoneFrame = { readonly kind: "gone"; readonly exit: Gone };

/** What codex says about one thread, and the end of codex. */
export type Frame = NotificationFrame | RequestFrame | GoneFrame;

/** The thread that a message is about; undefined if it is about none, or about all. */
export function threadOf(params: unknown): string | undefined {
  if (!isObject(params)) return undefined;
  const { threadId, conversationId, thread } = params;
  if (typeof threadId === "string") return threadId;
  if (typeof conversationId === "string") return conversationId; // the two oldest requests
  return isObject(thread) && typeof thread["id"] === "string" ? thread["id"] : undefined;
}

/** A piece of text for screens: what it belongs to comes whole later, so it may be lost. */
export const isDelta = ({ method }: { readonly method: string }): boolean => /delta$/i.test(method);

/** The two as one, if the second goes on with the first and differs in nothing but its text. */
export function joinDeltas(
  first: NotificationFrame,
  second: NotificationFrame,
): { readonly frame: NotificationFrame; readonly added: number } | undefined {
  const { params: a } = first;
  const { params: b } = second;
  if (first.method !== second.method || !isObject(a) || !isObject(b)) return undefined;
  const { delta: start } = a;
  const { delta: rest } = b;
  if (typeof start !== "string" || typeof rest !== "string") return undefined;
  const names = Object.keys(a);
  const alike = names.every((name) => name === "delta" || a[name] === b[name]);
  if (!alike || names.length !== Object.keys(b).length) return undefined;
  return { frame: { ...first, params: { ...a, delta: start + rest } }, added: rest.length };
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
