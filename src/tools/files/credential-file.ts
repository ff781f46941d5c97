/**
 * Files whose whole purpose is to hold a secret. A read of one is refused, because whatever a tool returns goes to the
 * model's provider and into the transcript. This keeps accidents out; it is no boundary.
 */
export function isCredentialFile(path: string): boolean {
  const parts = path.toLowerCase().split(/[/\\]/);
  const name = parts.at(-1) ?? "";
  if (parts.slice(0, -1).some((part) => folders.has(part))) return true;
  if (harmless.some((pattern) => pattern.test(name))) return false;
  return (
    names.some((pattern) => pattern.test(name)) || secretPaths.some((end) => parts.join("/").endsWith(end))
  );
}

const folders: ReadonlySet<string> = new Set([".ssh", ".gnupg", ".aws", ".azure", ".kube"]);

const secretPaths = ["/.docker/config.json", "/.config/gcloud/application_default_credentials.json"];

const harmless = [/^\.env\.(example|sample|template|dist)$/, /\.pub$/];

const names = [
  /^\.env(\..*)?$|\.env$|^\.envrc$/,
  /\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk)$/,
  /^id_(rsa|dsa|ecdsa|ed25519)(_sk)?/,
  /^(auth|credentials|service[-_]account.*|client_secret.*)\.json$/,
  /^(credentials|\.git-credentials|\.netrc|_netrc|\.npmrc|\.pypirc|\.pgpass|\.htpasswd)$/,
];
