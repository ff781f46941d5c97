import { join } from "node:path";
import { messageText } from "../../src/core/messages.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";

export type SessionOnDisk = {
  readonly id: string;
  /** How its turns ended. */
  readonly turns: readonly string[];
  /** Its messages as `role text`. */
  readonly said: readonly string[];
};

/** What is really kept, newest session first, without starting the program for it. */
export async function onDisk(home: string): Promise<readonly SessionOnDisk[]> {
  await using store = await openSqliteStore(join(home, "talaria.db"));
  const sessions = await store.sessions.list({ limit: 100 });
  return await Promise.all(
    sessions.map(async ({ id }) => {
      const turns = await store.sessions.turns(id);
      const messages = await store.sessions.messages(id);
      return {
        id,
        turns: turns.map(({ state }) => state),
        said: messages.map(({ message }) => `${message.role} ${messageText(message)}`),
      };
    }),
  );
}
