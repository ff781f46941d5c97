/**
 * What can be long is a plain run of characters, read apart; the expressions that find where to start are of bounded
 * length. So the time is linear, and no text is too long: an unbounded repetition inside a larger expression overflows
 * the engine's stack after some million characters.
 *
 * A token ends only before a character that is neither letter nor digit, and starts only after one. So masking one
 * token never uncovers another beside it, and a second pass changes nothing.
 */
type Pattern = {
  /** Enough of the start to know it; group 1 stays visible. */
  readonly head: RegExp;
  /** What may follow the head, as a sticky run. */
  readonly tail: RegExp;
};

const word = /[A-Za-z0-9_-]*/y;
const nothing = /(?:)/y;

const patterns: readonly Pattern[] = [
  { head: /(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{16}/g, tail: word },
  { head: /(?<![A-Za-z0-9])(?:gh[oprsu]_[A-Za-z0-9]|github_pat_[A-Za-z0-9_])[A-Za-z0-9]{15}/g, tail: word },
  // Keys of Talaria's own API.
  { head: /(?<![A-Za-z0-9])tal_[a-z0-9]{6,24}_[A-Za-z0-9_-]{16}/g, tail: word },
  { head: /(?<![A-Za-z0-9])(?:xox[a-z]|xapp)-[A-Za-z0-9-]{10}/g, tail: word },
  { head: /(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}/g, tail: word },
  { head: /(?<![A-Za-z0-9])(?:AIza[A-Za-z0-9_-]{30}|glpat-[A-Za-z0-9_-]{16})/g, tail: word },
  { head: /(?<![A-Za-z0-9])(?:npm|hf)_[A-Za-z0-9]{30}/g, tail: word },
  // Telegram: "123456:token", in its URLs directly after "/bot".
  { head: /(?<![A-Za-z0-9])((?:bot)?)[0-9]{6,12}:[A-Za-z0-9_-]{30}/g, tail: word },
  // JSON Web Token: a header that starts with {" and a body, in base64url.
  {
    head: /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,2000}\.[A-Za-z0-9_-]{8}/g,
    tail: /[A-Za-z0-9_.-]*/y,
  },
  {
    head: /(?<![A-Za-z0-9])(bearer[ \t]{1,4})[A-Za-z0-9._~+/-]{16}/gi,
    tail: /[A-Za-z0-9._~+/=-]*/y,
  },
  {
    head: /([?&](?:[A-Za-z0-9-]{1,30}[_.-])?(?:(?:api)?key|token|password|passwd|pwd|secret|signature|sig)=)[^&#\s"'<>\\]/gi,
    tail: /[^&#\s"'<>\\]*/y,
  },
  // The password of "https://user:password@host". Last, because it looks at what follows.
  { head: /(:\/\/[^/\s:@"'<>]{0,200}:)[^/\s:@"'<>]{1,200}(?=@)/g, tail: nothing },
];

/** Masks what has the form of a key or token. */
export function maskPatterns(text: string, mask: string): string {
  return patterns.reduce((masked, pattern) => maskPattern(masked, pattern, mask), maskKeyBlocks(text, mask));
}

function maskPattern(text: string, { head, tail }: Pattern, mask: string): string {
  return maskFrom(text, head, mask, (end) => runEnd(text, end, tail));
}

const keyBegin = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const keyEnd = /-----END [A-Z0-9 ]{0,60}-----/y;
const keyBody = /[A-Za-z0-9+/=\s\\:,.-]*/y;
const longestKey = 64 * 1024;

/** From BEGIN to END; where END is missing or too far, as much as can be part of a key. */
function maskKeyBlocks(text: string, mask: string): string {
  let nextEnd = 0;
  return maskFrom(text, keyBegin, mask, (bodyStart) => {
    if (nextEnd !== -1 && nextEnd < bodyStart) nextEnd = text.indexOf("-----END ", bodyStart);
    const near = nextEnd !== -1 && nextEnd - bodyStart <= longestKey;
    return near ? runEnd(text, nextEnd, keyEnd) : runEnd(text, bodyStart, keyBody);
  });
}

/** Where a block begins whose END has not come yet. Nothing else that is masked here goes over the end of a line. */
export function openKeyBlock(text: string): number | undefined {
  keyBegin.lastIndex = 0;
  for (let found = keyBegin.exec(text); found; found = keyBegin.exec(text)) {
    const end = text.indexOf("-----END ", keyBegin.lastIndex);
    if (end === -1) return found.index;
    keyBegin.lastIndex = end;
  }
  return undefined;
}

/** Masks each head together with what `extend` finds behind it, from left to right. */
function maskFrom(text: string, head: RegExp, mask: string, extend: (end: number) => number): string {
  let masked = "";
  let done = 0;
  head.lastIndex = 0;
  for (let found = head.exec(text); found; found = head.exec(text)) {
    masked += text.slice(done, found.index) + (found[1] ?? "") + mask;
    done = extend(head.lastIndex);
    head.lastIndex = done;
  }
  return done === 0 ? text : masked + text.slice(done);
}

function runEnd(text: string, from: number, run: RegExp): number {
  run.lastIndex = from;
  return run.test(text) ? run.lastIndex : from;
}
