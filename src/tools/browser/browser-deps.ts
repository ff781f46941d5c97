import type { DescribePicture } from "../media/vision-analyze.ts";
import type { NetGuard } from "../net/guard.ts";
import type { PageAccess } from "../web/page-question.ts";
import type { BrowserSessions } from "./browser-sessions.ts";

/** What the browser tools work with. */
export type BrowserDeps = {
  readonly sessions: BrowserSessions;
  /** Why there is no browser. */
  readonly unavailable?: string;
  readonly guard: NetGuard;
  readonly access: PageAccess;
  readonly describe: DescribePicture;
  /** Why nobody can look at pictures. */
  readonly blind?: string;
  /** How long a person may take to answer a question: a page stays open for that. */
  readonly askMs: number;
  /** How long a page may take to begin, and then to be all there. */
  readonly navigationMs?: number;
  readonly loadMs?: number;
  /** How long an element may take until it can be acted on. */
  readonly elementMs?: number;
};
