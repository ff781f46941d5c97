import { fieldsOf } from "../../../core/json.ts";

/** Who we are: names are compared without regard to case. */
export type TelegramBot = { readonly id: number; readonly username: string };

export const text = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

export const integer = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) ? value : undefined;

/** The id of a user. */
export const bot = (user: unknown): number | undefined => integer(fieldsOf(user)["id"]);
