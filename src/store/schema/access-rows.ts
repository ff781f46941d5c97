import type { Generated } from "kysely";
import type { NameKind } from "../../core/access.ts";

export type AccessKeyRow = {
  readonly id: string;
  readonly name: string;
  /** sha256 of the secret half, as all hashes here. */
  readonly hash: string;
  /** Scope[] */
  readonly scopes: string;
  /** Limit of a day */
  readonly budget: string | null;
  readonly created_at: number;
  readonly used_at: Generated<number | null>;
  readonly revoked_at: Generated<number | null>;
};

export type DeviceRow = {
  readonly id: string;
  readonly name: string;
  /** Scope[] */
  readonly scopes: string;
  /** Until it is used. */
  readonly code: string | null;
  readonly code_until: number | null;
  readonly cookie: Generated<string | null>;
  readonly token: Generated<string | null>;
  readonly created_at: number;
  readonly let_in_at: Generated<number | null>;
  readonly used_at: Generated<number | null>;
  readonly revoked_at: Generated<number | null>;
};

/** What programs call their requests and chats. */
export type OwnNameRow = {
  readonly account: string;
  readonly kind: NameKind;
  readonly name: string;
  readonly value: string;
};
