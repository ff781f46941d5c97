/** A next step in the words of a chat: what is an option on the command line is a command there. */
export const chatAdvice = (next: string): string =>
  next
    .replaceAll(/(`?)--model(?: NAME)?\1/g, "$1/model NAME$1")
    .replaceAll(/(`?)--runtime (loop|codex)\1/g, "$1/runtime $2$1");

/** The other way round, for somebody in a shell. */
export const shellAdvice = (next: string): string =>
  next.replaceAll("`/codex-runtime auto`", "`--runtime loop`");
