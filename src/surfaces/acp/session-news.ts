import type { Client } from "../../core/calls.ts";
import type { ChatState } from "../../core/chat-state.ts";
import { type NextTurnSetup, nextTurnSetup } from "../../operations/chat/next-turn-setup.ts";
import type { Editor } from "./editor.ts";
import { offeredCommands, offeredSkills } from "./editor-commands.ts";
import { type SettingsView, settingsView } from "./session-settings.ts";
import type { SessionWriter } from "./session-writer.ts";

export type NewsParts = {
  readonly host: Client;
  readonly editor: Pick<Editor, "can">;
  readonly writer: SessionWriter;
  readonly cwd: string;
};

/** What an editor is told beside the conversation. */
export interface SessionNews {
  /** What it has to know of a session once it knows that there is one. */
  greet(): void;
  /** Something to know about the session as such: shown beside the conversation where that is possible, else by `catchUp`. */
  warn(text: string): void;
  /** The same for what the next turn will tell by itself: nothing where it cannot be shown beside the conversation. */
  hint(text: string): void;
  /** Says in the conversation what could not be shown beside it. */
  catchUp(): void;
  /** What can be chosen, for an answer to the editor. */
  settings(chatState: ChatState): Promise<SettingsView>;
  /** Tells what has changed since: what was chosen, the title, the cost. */
  refresh(chatState: ChatState): Promise<void>;
}

export function sessionNews({ host, editor, writer, cwd }: NewsParts): SessionNews {
  let waiting: readonly string[] = [];
  let title: string | undefined;
  let known = "";
  let greeted = false;
  const notify = (): void => {
    if (!editor.can.notices || !greeted) return;
    for (const text of waiting)
      writer.send({ sessionUpdate: "notice", severity: "warning", ...headed(text) });
    waiting = [];
  };
  const settings = async (chatState: ChatState, setup?: NextTurnSetup): Promise<SettingsView> => {
    const view = await settingsView(chatState, host, setup);
    known = JSON.stringify(view);
    return view;
  };
  const greet = (): void => {
    if (greeted) return;
    greeted = true;
    const availableCommands = [...offeredCommands()];
    writer.send({ sessionUpdate: "available_commands_update", availableCommands });
    notify();
    void tellSkills(host, cwd, writer);
  };
  return {
    settings: (chatState) => settings(chatState),
    greet,
    warn(text) {
      waiting = [...waiting, text];
      notify();
    },
    hint(text) {
      if (!editor.can.notices) return;
      waiting = [...waiting, text];
      notify();
    },
    catchUp() {
      greet();
      for (const text of waiting) writer.remark(text);
      waiting = [];
    },
    async refresh(chatState) {
      const before = known;
      const setup = await nextTurnSetup(chatState, host);
      const { configOptions, modes } = await settings(chatState, setup);
      if (known !== before) {
        writer.send({ sessionUpdate: "config_option_update", configOptions });
        writer.send({ sessionUpdate: "current_mode_update", currentModeId: modes.currentModeId });
      }
      const { session: row } = setup;
      if (row === undefined) return;
      if (row.title !== undefined && row.title !== title)
        writer.send({ sessionUpdate: "session_info_update", title: row.title });
      title = row.title;
    },
  };
}

async function tellSkills(host: Client, cwd: string, writer: SessionWriter): Promise<void> {
  // Without them in its list they can be typed all the same.
  const skills = await offeredSkills(host, cwd).catch(() => []);
  if (skills.length === 0) return;
  const availableCommands = [...offeredCommands(), ...skills];
  writer.send({ sessionUpdate: "available_commands_update", availableCommands });
}

function headed(text: string): { readonly title: string; readonly description?: string } {
  const [title = "", ...rest] = text.split("\n");
  return { title, ...(rest.length === 0 ? {} : { description: rest.join("\n") }) };
}
