import type { LearnedFrom } from "../../core/learning.ts";
import { provenance } from "../provenance/provenance.ts";
import { exactWords, saysExactly } from "../provenance/exact-words.ts";
import { statements } from "../provenance/statements.ts";
import { contentWords, folded, isNegative, matcher } from "../provenance/words.ts";
import type { WriteRule } from "../index.ts";
import type { MemoryChange } from "./redo.ts";

export type Judgement = {
  readonly how: "write" | "propose";
  /** Why it waits, as the end of a sentence. */
  readonly why?: string;
} & Pick<LearnedFrom, "evidence" | "trusted">;

export type JudgeParts = {
  /** What the person said in this session. */
  readonly ownMessages: readonly string[];
  readonly rule: WriteRule;
  /** Why a text looks like an attempt to steer its reader, if it does. */
  readonly suspicion: (text: string) => string | undefined;
};

/** Does a change of memory happen, or does it wait for a person? */
export function judge(change: MemoryChange, { ownMessages, rule, suspicion }: JudgeParts): Judgement {
  const flagged = change.action === "remove" ? undefined : suspicion(change.content);
  const { trusted, evidence } = provenanceFor(change, ownMessages);
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
function provenanceFor(change: MemoryChange, ownMessages: readonly string[]): ReturnType<typeof provenance> {
  if (change.action === "add") return provenance(change.content, ownMessages);
  if (change.action === "remove") return removalProvenance(change.entry, ownMessages);
  const { content, entry } = change;
  const { evidence } = provenance(content, ownMessages);
  // Turning a statement into its opposite is not rephrasing.
  const known = isNegative(content) === isNegative(entry) ? [entry] : [];
  const trusted =
    provenance(content, [...ownMessages, ...known]).trusted && mayBeDropped(content, entry, ownMessages);
  return { trusted, evidence };
}

/** Has the person mentioned all of it, and asked for its removal or said the opposite? Having said it once is not enough. */
function removalProvenance(entry: string, ownMessages: readonly string[]): ReturnType<typeof provenance> {
  const isAbout = matcher(contentWords(entry));
  const count = contentWords(entry).length;
  const isWanted = statements(ownMessages).some((sentence) => {
    const shared = contentWords(sentence).filter(isAbout).length;
    return (
      (shared > 0 && leaving.test(sentence)) ||
      (shared >= count && isNegative(sentence) !== isNegative(entry))
    );
  });
  return {
    trusted: isWanted && mayBeDropped("", entry, ownMessages),
    evidence: provenance(entry, ownMessages).evidence,
  };
}

const leaving =
  /(?<!\p{L})(?:forget|remove|delete|drop|erase|no longer|any ?more|vergiss|lösch\p{L}*|streich\p{L}*|nicht mehr|забудь|удали|больше не|oublie|supprime|olvida|borra)(?!\p{L})|忘|删|不再/iu;

/** Has the person mentioned everything that the entry loses? */
function mayBeDropped(content: string, entry: string, ownMessages: readonly string[]): boolean {
  const isKept = matcher(contentWords(content));
  const lost = contentWords(entry).filter((word) => !isKept(word));
  const gone = exactWords(entry).filter((word) => !saysExactly(folded(content), word));
  const said = folded(ownMessages.join("\n"));
  return (
    lost.every(matcher(ownMessages.flatMap(contentWords))) && gone.every((word) => saysExactly(said, word))
  );
}
