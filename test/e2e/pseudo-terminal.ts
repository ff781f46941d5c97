import type { Started, Talaria } from "./talaria.ts";

export const noTerminal = "there is no script(1) from util-linux here to make a terminal";

/** The chat, or the program with these words, in a pseudo-terminal that reads what we write. */
export async function terminalOf(it: Pick<Talaria, "shell">, words = ""): Promise<Started | undefined> {
  const looked = await it.shell("command -v script && script --version | grep -q util-linux");
  looked.closeInput();
  if ((await looked.finished).code !== 0) return undefined;
  return it.shell(`exec script -qec "exec '$0' ${words}" /dev/null`, {
    env: { SHELL: "/bin/sh", TERM: "dumb" },
  });
}
