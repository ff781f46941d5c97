import { basename, dirname, join, relative } from "node:path";
import type { FileChange, Question } from "../../../core/asking.ts";
import { followed } from "../../../lib/followed-path.ts";
import { isInside } from "../../../lib/sandbox-paths.ts";

/**
 * The question about a patch by where its paths really lead. Codex names them as the model did, and once it is allowed a
 * patch it has no sandbox: through a link in the working folder it would change what the rules guard, and a lasting yes
 * would go wherever the link leads next.
 */
export async function ledTo(question: Question): Promise<Question> {
  const { action, cwd } = question;
  if (action.kind !== "change") return question;
  const work = await followed(cwd);
  const place = async (change: FileChange): Promise<FileChange> => {
    const real = await written(change);
    return { ...change, path: isInside(real, work) ? join(cwd, relative(work, real)) : real };
  };
  const { changes, root } = action;
  return {
    ...question,
    action: {
      ...action,
      changes: changes === undefined ? undefined : await Promise.all(changes.map(place)),
      ...(root === undefined ? {} : { root: await followed(root) }),
    },
  };
}

/** What is removed is the name itself, wherever it leads. */
const written = async ({ kind, path }: FileChange): Promise<string> =>
  kind === "delete" || kind === "move" ? join(await followed(dirname(path)), basename(path)) : followed(path);
