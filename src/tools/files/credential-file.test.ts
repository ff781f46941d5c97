import assert from "node:assert/strict";
import { test } from "node:test";
import { isCredentialFile } from "./credential-file.ts";

const secret = [
  ".env",
  "app/.env.production",
  "prod.env",
  "server.pem",
  "TLS.KEY",
  "id_rsa",
  "backup/id_ed25519.old",
  "auth.json",
  "credentials.json",
  "service-account-prod.json",
  ".netrc",
  ".npmrc",
  "/home/me/.ssh/config",
  "/home/me/.aws/credentials",
  "/home/me/.docker/config.json",
];
const open = [
  "README.md",
  ".env.example",
  "id_rsa.pub",
  "src/auth.ts",
  "environment.ts",
  "tokens.json",
  "docs/keys.md",
  ".docker/Dockerfile",
];

for (const path of secret)
  test(`${path} holds credentials`, () => assert.equal(isCredentialFile(path), true));
for (const path of open) test(`${path} does not`, () => assert.equal(isCredentialFile(path), false));
