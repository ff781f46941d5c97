declare const brand: unique symbol;

/** A string that cannot be swapped with another kind of id. */
export type Id<Name extends string> = string & { readonly [brand]: Name };

export type SessionId = Id<"ses">;
export type TurnId = Id<"trn">;
export type InboxId = Id<"inb">;
export type ApprovalId = Id<"apr">;
export type InquiryId = Id<"inq">;
export type GrantId = Id<"grn">;
export type RevisionId = Id<"rev">;
export type ScheduleId = Id<"sch">;
export type OutcomeId = Id<"out">;
export type GoalId = Id<"gol">;
/** Made by the runtime (codex has its own); unique within a turn, stable on replay. */
export type ItemId = Id<"itm">;

type Prefix =
  | "ses"
  | "trn"
  | "inb"
  | "apr"
  | "inq"
  | "grn"
  | "rev"
  | "sch"
  | "out"
  | "gol"
  | "itm"
  /** A message of a chat as it came, and one that goes to a chat. */
  | "rcv"
  | "obx";

/** Says what it names (`trn_…`) and sorts by age. The time comes from the caller's clock. */
export function newId<Name extends Prefix>(name: Name, atMs: number): Id<Name> {
  const time = Math.max(0, Math.floor(atMs)).toString(36).padStart(9, "0");
  const random = crypto.randomUUID().replaceAll("-", "").slice(0, 10);
  return `${name}_${time}${random}` as Id<Name>;
}

/** Takes over an id from outside (a row, an argument, the runtime). The caller has checked where it comes from. */
export const asId = <Name extends Prefix>(text: string): Id<Name> => text as Id<Name>;

export const isSessionId = (text: string): text is SessionId => /^ses_[0-9a-z]{10,}$/.test(text);
