import { type SourcePosition, configFault } from "../findings.ts";
import type { FileSettings } from "../keys.ts";

/** Throws a FaultError `config` where a setting needs another one to be safe. */
export function checkGateway(
  { gateway = {} }: FileSettings,
  positionOf: (path: readonly string[]) => SourcePosition,
): void {
  const { webhook_url: url, webhook_secret_env: secret } = gateway.telegram ?? {};
  if ((url === undefined) === (secret === undefined)) return;
  const [is, missing, why] =
    secret === undefined
      ? ["webhook_url", "webhook_secret_env", "without it anybody could send messages in somebody's name"]
      : ["webhook_secret_env", "webhook_url", "without it Telegram sends nothing there"];
  const key = `gateway.telegram.${is}`;
  throw configFault(
    [{ ...positionOf(key.split(".")), key, message: `needs gateway.telegram.${missing}, too: ${why}` }],
    `Set gateway.telegram.${missing}, or remove ${key}.`,
  );
}
