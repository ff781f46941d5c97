import type { Host } from "../../core/host.ts";
import type { Talk } from "../../core/talk.ts";
import type { Editor } from "./editor.ts";
import { offeredCommands } from "./editor-commands.ts";
import { type SettingsView, settingsView } from "./session-settings.ts";
import type { SessionWriter } from "./session-writer.ts";

export type NewsParts = {
  readonly host: Host;
  readonly editor: Pick<Editor, "can">;
  readonly writer: SessionWriter;
};

/** What an editor is told beside the conversation. */
export interface SessionNews {
  /** What it has to know of a session that it has just opened. */
  greet(): void;
  /** Something to know about the session as such: at once where it can be shown, else by `catchUp`. */
  warn(text: string): void;
  /** Says what could not be shown before. */
  catchUp(): void;
  /** What can be chosen, for an answer to the editor. */
  settings(talk: Talk): Promise<SettingsView>;
  /** Tells what has changed since: what was chosen, the title, the cost. */
  refresh(talk: Talk): Promise<void>;
}

export function sessionNews({ host, editor, writer }: NewsParts): SessionNews {
  let waiting: readonly string[] = [];
  let title: string | undefined;
  let known = "";
  const settings = async (talk: Talk): Promise<SettingsView> => {
    const view = await settingsView(talk, host);
    known = JSON.stringify(view);
    return view;
  };
  return {
    settings,
    greet: () =>
      writer.send({
        sessionUpdate: "available_commands_update",
        availableCommands: [...offeredCommands()],
      }),
    warn(text) {
      if (!editor.can.notices) return void (waiting = [...waiting, text]);
      writer.send({ sessionUpdate: "notice", severity: "warning", ...headed(text) });
    },
    catchUp() {
      for (const text of waiting) writer.aside(text);
      waiting = [];
    },
    async refresh(talk) {
      const before = known;
      const { configOptions, modes } = await settings(talk);
      if (known !== before) {
        writer.send({ sessionUpdate: "config_option_update", configOptions });
        writer.send({ sessionUpdate: "current_mode_update", currentModeId: modes.currentModeId });
      }
      if (talk.session === undefined) return;
      const row = await host.sessions.get(talk.session);
      if (row.title !== undefined && row.title !== title)
        writer.send({ sessionUpdate: "session_info_update", title: row.title });
      title = row.title;
    },
  };
}

function headed(text: string): { readonly title: string; readonly description?: string } {
  const [title = "", ...rest] = text.split("\n");
  return { title, ...(rest.length === 0 ? {} : { description: rest.join("\n") }) };
}
