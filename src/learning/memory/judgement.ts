import type { LearnedFrom } from "../../core/learning.ts";
import { provenance } from "../provenance/provenance.ts";
import { exactWords, saysExactly } from "../provenance/exact-words.ts";
import { statements } from "../provenance/statements.ts";
import { contentWords, folded, isNegative, matcher } from "../provenance/words.ts";
import type { WriteRule } from "../index.ts";
import type { MemoryChange } from "./redo.ts";

export type Judged = {
  readonly how: "write" | "propose";
  /** Why it waits, as the end of a sentence. */
  readonly why?: string;
} & Pick<LearnedFrom, "evidence" | "trusted">;

export type JudgeParts = {
  /** What the person said in this session. */
  readonly persons: readonly string[];
  readonly rule: WriteRule;
  /** What in a text tries to steer whoever reads it. */
  readonly suspicion: (text: string) => string | undefined;
};

/** Does a change of memory happen, or does it wait for a person? */
export function judged(change: MemoryChange, { persons, rule, suspicion }: JudgeParts): Judged {
  const flagged = change.action === "remove" ? undefined : suspicion(change.content);
  const { trusted, evidence } = provenanceFor(change, persons);
  const why =
    flagged ??
    (trusted ? undefined : "it does not rest on what the person said in this conversation") ??
    (rule.mode === "propose" ? "reviews only propose here" : undefined);
  const facts = { evidence, trusted: trusted && flagged === undefined };
  return why === undefined ? { how: "write", ...facts } : { how: "propose", why, ...facts };
}

/**
 * What is replaced counts as known, and what it loses as taken away: whoever rephrases an entry needs no new words of the
 * person, and nobody removes one that they have not spoken of.
 */
function provenanceFor(change: MemoryChange, persons: readonly string[]): ReturnType<typeof provenance> {
  if (change.action === "add") return provenance(change.content, persons);
  if (change.action === "remove") return removalProvenance(change.entry, persons);
  const { content, entry } = change;
  const { evidence } = provenance(content, persons);
  // What is turned round is no rephrasing.
  const known = isNegative(content) === isNegative(entry) ? [entry] : [];
  const trusted = provenance(content, [...persons, ...known]).trusted && mayGo(content, entry, persons);
  return { trusted, evidence };
}

/** Has the person spoken of all of it, and do they want it gone or say the opposite? That they once said it is no reason. */
function removalProvenance(entry: string, persons: readonly string[]): ReturnType<typeof provenance> {
  const isAbout = matcher(contentWords(entry));
  const count = contentWords(entry).length;
  const isWanted = statements(persons).some((sentence) => {
    const shared = contentWords(sentence).filter(isAbout).length;
    return (
      (shared > 0 && leaving.test(sentence)) ||
      (shared >= count && isNegative(sentence) !== isNegative(entry))
    );
  });
  return { trusted: isWanted && mayGo("", entry, persons), evidence: provenance(entry, persons).evidence };
}

const leaving =
  /(?<!\p{L})(?:forget|remove|delete|drop|erase|no longer|any ?more|vergiss|lösch\p{L}*|streich\p{L}*|nicht mehr|забудь|удали|больше не|oublie|supprime|olvida|borra)(?!\p{L})|忘|删|不再/iu;

/** Has the person spoken of all that the entry loses? */
function mayGo(content: string, entry: string, persons: readonly string[]): boolean {
  const isKept = matcher(contentWords(content));
  const lost = contentWords(entry).filter((word) => !isKept(word));
  const gone = exactWords(entry).filter((word) => !saysExactly(folded(content), word));
  const said = folded(persons.join("\n"));
  return lost.every(matcher(persons.flatMap(contentWords))) && gone.every((word) => saysExactly(said, word));
}
