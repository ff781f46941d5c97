import { names } from "./names.ts";
import { isInside } from "./paths.ts";

/**
 * Files that decide what runs later, where or as whom: start-up files, hooks, keys, settings of tools, pipelines.
 * Everything hidden directly in the home folder counts, unless the work itself happens in there.
 */
export function isSensitive(path: string, cwd: string, home: string): boolean {
  const lower = path.toLowerCase();
  const name = lower.slice(lower.lastIndexOf("/") + 1);
  if (files.has(name) || isEnvFile(name)) return true;
  if ([...folders].some((folder) => `${lower}/`.includes(folder))) return true;
  return isHiddenAtHome(path, cwd, home);
}

const files = names(
  ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout " +
    ".kshrc .cshrc .tcshrc .login .inputrc .xinitrc .xsession .xprofile config.fish .gitconfig .gitmodules .npmrc " +
    ".yarnrc .yarnrc.yml .pypirc .netrc .pgpass .my.cnf .envrc .vimrc .exrc .nanorc .tmux.conf .wgetrc .curlrc " +
    ".dockerconfigjson authorized_keys known_hosts .htpasswd .gitlab-ci.yml jenkinsfile azure-pipelines.yml " +
    "bitbucket-pipelines.yml .travis.yml .drone.yml .pre-commit-config.yaml lefthook.yml .mcp.json sudoers crontab " +
    "shadow passwd",
);

const folders = names(
  "/.git/ /.ssh/ /.gnupg/ /.aws/ /.azure/ /.kube/ /.docker/ /.config/gcloud/ /.config/systemd/ " +
    "/.config/autostart/ /launchagents/ /launchdaemons/ /.github/workflows/ /.github/actions/ /.circleci/ " +
    "/.buildkite/ /.husky/ /.vscode/ /.idea/ /.devcontainer/ /.codex/ /.talaria/ /.claude/ /.cursor/",
);

/** `.env` and its kin, but not the examples that belong into a repository. */
const isEnvFile = (name: string): boolean =>
  /^\.env(\.|$)/.test(name) && !/\.(example|sample|template|dist|defaults)$/.test(name);

function isHiddenAtHome(path: string, cwd: string, home: string): boolean {
  if (!isInside(path, home)) return false;
  const [first = ""] = path.slice(home.length + 1).split("/");
  return first.startsWith(".") && first.length > 1 && !isInside(cwd, `${home}/${first}`);
}

/** Files that hold keys and passwords: reading them is worth a question, a sandbox does not stop it. */
export function holdsSecrets(path: string): boolean {
  const lower = path.toLowerCase();
  const name = lower.slice(lower.lastIndexOf("/") + 1);
  if (isEnvFile(name)) return true;
  if (/^id_(rsa|dsa|ecdsa|ed25519)(_\w+)?$/.test(name)) return true;
  if (/\/\.(ssh|gnupg|aws|azure|kube|password-store)(\/|$)/.test(lower)) return !name.endsWith(".pub");
  if (
    /\/\.(netrc|pgpass|npmrc|pypirc|git-credentials|my\.cnf|docker\/config\.json|codex\/auth\.json)$/.test(
      lower,
    )
  )
    return true;
  if (/^\/(etc\/(shadow|gshadow|sudoers|master\.passwd)|private\/etc\/master\.passwd)/.test(lower))
    return true;
  return (
    /\/(login\.keychain|keychains|cookies\.sqlite|login data|logins\.json|key4\.db)/.test(lower) ||
    /^\/proc\/[^/]+\/(environ|mem)$/.test(lower)
  );
}
