import { type Kysely, sql } from "kysely";
import type { InputPart } from "../core/messages.ts";
import type { Database } from "./database.ts";

/** Enough that repeated inputs do not hide the others, few enough to be read while somebody waits. */
const lookedAt = 20_000;
const pageSize = 200;

export async function typedTexts(
  db: Kysely<Database>,
  { surfaces, limit }: { readonly surfaces: readonly string[]; readonly limit: number },
): Promise<readonly string[]> {
  const { newest } = await db
    .selectFrom("inbox")
    .select((of) => of.fn.max("seq").as("newest"))
    .executeTakeFirstOrThrow();
  const oldest = (newest ?? 0) - lookedAt;
  const found = new Set<string>();
  for (let before = (newest ?? 0) + 1; found.size < limit;) {
    const rows = await db
      .selectFrom("inbox")
      .select(["seq", "body"])
      .where("seq", "<", before)
      .where("seq", ">", oldest)
      // Not the bare column: its index would have all of them sorted for each page.
      .where((of) => of(of.fn.coalesce("surface", sql.lit("")), "in", surfaces))
      .orderBy("seq", "desc")
      .limit(pageSize)
      .execute();
    for (const { body } of rows) found.add(textOf(JSON.parse(body) as readonly InputPart[]));
    found.delete("");
    if (rows.length < pageSize) break;
    before = rows.at(-1)?.seq ?? 0;
  }
  return [...found].slice(0, Math.max(0, limit));
}

/** Empty when there is nothing to see in it. */
function textOf(input: readonly InputPart[]): string {
  const text = input.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  return text.trim() === "" ? "" : text;
}
