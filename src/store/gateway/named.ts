import { type RawBuilder, sql } from "kysely";

/** Rows of one id, of ids that begin so, or of the platform's own name. */
export const isNamed = (word: string, platformsName: "platform_id" | "message_id"): RawBuilder<boolean> =>
  sql`((id >= ${word} and id < ${`${word}\u{10ffff}`}) or ${sql.ref(platformsName)} = ${word})`;
