import { join } from "node:path";
import type { SessionId } from "../../core/ids.ts";

/** What commands in a sandbox do not see. With a network, programs need the keys that they would use there. */
export const hiddenPaths = (
  { guarded, home }: { readonly guarded: readonly string[]; readonly home: string },
  network: boolean,
): readonly string[] => [...guarded, ...(network ? [] : secretPaths(home))];

/** Files and folders that matter to commands of codex. */
export type CodexPaths = {
  /** What no command may write. */
  readonly guarded: readonly string[];
  /** What commands do not see in a turn that nobody attends, and what they do not see beside a conversation. */
  readonly hidden: readonly string[];
  readonly hiddenInSideTurns: readonly string[];
  /** What lies in the working folder and is not for turns of this session. */
  readonly hiddenFrom?: (session: SessionId) => Promise<readonly string[]>;
};

export const codexPaths = (
  settings: { readonly guarded: readonly string[]; readonly home: string },
  network: boolean,
): CodexPaths => ({
  guarded: settings.guarded,
  hidden: hiddenPaths(settings, network),
  // There is no network there, whatever the settings say.
  hiddenInSideTurns: hiddenPaths(settings, false),
});

/**
 * Where programs keep keys and logins in a person's home. None of them is of use without a network, so a command that has
 * none need not see them, and neither need the model that reads what it prints.
 */
const secretPaths = (home: string): readonly string[] => places.map((place) => join(home, place));

const places = [
  [".ssh", ".gnupg", ".password-store", ".local/share/keyrings"],
  [".aws", ".azure", ".kube", ".docker/config.json", ".config/gcloud", ".config/gh", ".config/hub"],
  [
    ".config/glab-cli",
    ".config/doctl",
    ".config/rclone",
    ".config/op",
    ".oci",
    ".terraform.d/credentials.tfrc.json",
    ".vault-token",
  ],
  [".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".config/github-copilot"],
  [".claude/.credentials.json", ".gemini/oauth_creds.json", ".local/share/opencode/auth.json"],
  [".netrc", ".npmrc", ".git-credentials", ".config/git/credentials", ".pgpass", ".my.cnf", ".pypirc"],
  [".mozilla", ".config/google-chrome", ".config/chromium", ".config/BraveSoftware"],
].flat();
