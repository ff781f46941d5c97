import { PROTOCOL_VERSION, client, methods } from "@agentclientprotocol/sdk";
import type { Client } from "../../core/calls.ts";
import { agentApp } from "./agent-app.ts";
import type { AcpExit, AcpOptions, AcpPorts } from "./ports.ts";
import { openSessions } from "./sessions.ts";
import { systemClock } from "../../lib/clock.ts";

/** `talaria acp --check`: what an editor does first, without an editor and without a model. */
export async function selfCheck(ports: AcpPorts, { profile }: AcpOptions): Promise<AcpExit> {
  const { version, stdout, stderr } = ports;
  await using host = await ports.openHost({
    ...(profile === undefined ? {} : { profile }),
    skipRepair: true,
  });
  const { model, provider, warnings } = await host.call("host.status", {});
  for (const warning of warnings) stderr.write(`talaria: warning: ${warning}\n`);
  const result = await handshake(host, version);
  stdout.write(
    `acp ok: protocol ${result.protocol}, Talaria ${version}, runtime ${result.runtime}, model ${model} (${provider}), ${result.commands} commands\n`,
  );
  return 0;
}

type Handshake = { readonly protocol: number; readonly runtime: string; readonly commands: number };

async function handshake(host: Client, version: string): Promise<Handshake> {
  const sessions = openSessions({ host: async () => host, clock: systemClock, log: discard });
  const commands = Promise.withResolvers<number>();
  const editor = client({ name: "check" }).onNotification(methods.client.session.update, ({ params }) => {
    const { update } = params;
    if (update.sessionUpdate === "available_commands_update")
      commands.resolve(update.availableCommands.length);
  });
  return await editor.connectWith(agentApp(sessions, version), async (talaria) => {
    const { protocolVersion } = await talaria.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
    });
    const { modes } = await talaria.request(methods.agent.session.new, { cwd: "/", mcpServers: [] });
    return {
      protocol: protocolVersion,
      runtime: modes?.currentModeId ?? "?",
      commands: await commands.promise,
    };
  });
}

/** The warnings were said already. */
const discard = (): void => {};
