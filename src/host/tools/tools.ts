import type { Auxiliary } from "../../core/auxiliary.ts";
import type { Foundation } from "../foundation.ts";
import { receivedElsewhere } from "../gateway/received-files.ts";
import { hostBrowser } from "./browser-tools.ts";
import { hostChatTools } from "./chat-tools.ts";
import { type SessionAddresses, sessionAddresses } from "./known-addresses.ts";
import { hostKanbanTools } from "./kanban-tools.ts";
import { type HostMcp, hostMcp } from "./mcp-servers.ts";
import type { HostShell } from "./shell.ts";
import type { ToolSwitches } from "./switches.ts";
import { type HostToolBox, type MoreTools, hostToolBox } from "./tool-box.ts";

type Needs = Foundation & {
  readonly auxiliary: Auxiliary;
  readonly shell: HostShell;
  readonly switches: ToolSwitches;
};

export type HostTools = AsyncDisposable & {
  /** Files, commands, sessions and the person's MCP servers; others are added to it. */
  readonly toolBox: HostToolBox;
  /** Web, pictures and sounds, the browser, boards, and chats. */
  readonly further: readonly MoreTools[];
  readonly mcp: HostMcp;
  readonly addresses: SessionAddresses;
};

/** The tools that the settings alone make. Nothing is loaded or started before a turn needs it. */
export function hostTools(needs: Needs): HostTools {
  const { store, shell, switches } = needs;
  const mcp = hostMcp({ ...needs, isOff: (toolset) => switches.isOff({ name: "", toolset }) });
  const addresses = sessionAddresses(store.sessions);
  const reading = { ...needs, addresses, guarded: shell.guarded };
  const browser = hostBrowser(reading);
  const web = async () => (await import("./web-tools.ts")).webTools(reading);
  const media = async () => (await import("./media-tools.ts")).hostMediaTools(reading);
  return {
    toolBox: hostToolBox({
      ...needs,
      handsOutCards: needs.loaded.config.work.handsOutCards,
      changing: mcp.tools,
      hiddenFrom: (session) => receivedElsewhere(needs, session),
    }),
    further: [web, media, browser.tools, hostKanbanTools(needs), hostChatTools(needs)],
    mcp,
    addresses,
    async [Symbol.asyncDispose]() {
      await using parts = new AsyncDisposableStack();
      parts.use(mcp);
      parts.use(browser);
    },
  };
}
