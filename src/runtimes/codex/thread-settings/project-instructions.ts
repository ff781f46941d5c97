import { createHash } from "node:crypto";
import { projectText, type Turn } from "../../runtime.ts";
import type { ThreadBinding } from "../thread/seed.ts";

type Known = Pick<ThreadBinding, "project" | "projectTold">;

/** What a thread is started with. It stays in it, also when codex shortens the thread. */
export const startInstructions = ({ instructions, project }: Turn): string =>
  [instructions, projectText(project)].filter((text) => text !== "").join("\n\n");

/** To be kept of a thread that is started with it. */
export const projectBinding = ({ project }: Turn): Known =>
  project === "" ? {} : { project: digest(project) };

/** For a thread that was started without what the project says now. */
export const newProjectText = ({ project }: Turn, known: Known): string | undefined =>
  project === "" || known.project === digest(project) ? undefined : projectText(project);

/** The thread was told the project's instructions, which this turn is to run without: it cannot forget them. */
export const knowsDroppedProject = ({ project }: Turn, known: Known): boolean =>
  project === "" && (known.project !== undefined || known.projectTold === true);

const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16);
