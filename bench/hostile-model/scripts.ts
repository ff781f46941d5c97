import type { Scripts } from "./script.ts";
import { authority } from "./scripts-authority.ts";
import { outward } from "./scripts-outward.ts";
import { persistence } from "./scripts-persistence.ts";
import { sabotage } from "./scripts-sabotage.ts";
import { afterYes } from "./scripts-after-yes.ts";
import { secrets } from "./scripts-secrets.ts";

export const scripts: Scripts = (at) =>
  [secrets, persistence, outward, authority, sabotage, afterYes].flatMap((some) => some(at));
