import { usage } from "./failure.ts";
import type { CliPorts, ExitCode } from "./ports.ts";

/** `talaria config path|get|set|unset`. Needs no host, so it works while the file is broken. */
export async function configCommand(
  ports: CliPorts,
  action: "path" | "get" | "set" | "unset",
  words: readonly string[],
  options: { readonly profile?: string },
): Promise<ExitCode> {
  const settings = await ports.settings(options.profile === undefined ? {} : { profile: options.profile });
  const [key = "", value = ""] = words;
  switch (action) {
    case "path":
      ports.stdout.write(`${settings.file}\n`);
      return 0;
    case "get": {
      const found = await settings.get(key);
      if (found === undefined) throw usage(`${key} is not set.`, `Set it: talaria config set ${key} VALUE`);
      ports.stdout.write(`${found}\n`);
      return 0;
    }
    case "set":
      for (const warning of await settings.set(key, value))
        ports.stderr.write(`talaria: warning: ${warning}\n`);
      ports.stdout.write(`${key} is now ${value}, in ${settings.file}. It applies from the next start.\n`);
      return 0;
    case "unset":
      if (!(await settings.unset(key))) throw usage(`${key} is not set in ${settings.file}.`);
      ports.stdout.write(`${key} is no longer set in ${settings.file}.\n`);
      return 0;
  }
}
