import type { SessionId } from "../../core/ids.ts";

/** Which files of skills a session's model has read, and how they were then. Nothing is changed that nobody has read. */
export type SeenSkills = {
  saw(session: SessionId, file: string, hash: string): void;
  /** The hash of what was read last. */
  seen(session: SessionId, file: string): string | undefined;
};

const most = { sessions: 200, files: 200 } as const;

export function seenSkills(): SeenSkills {
  const sessions = new Map<SessionId, Map<string, string>>();
  return {
    saw(session, file, hash) {
      const files = sessions.get(session) ?? new Map<string, string>();
      sessions.delete(session);
      files.delete(file);
      sessions.set(session, files.set(file, hash));
      trim(files, most.files);
      trim(sessions, most.sessions);
    },
    seen: (session, file) => sessions.get(session)?.get(file),
  };
}

function trim(map: Map<string, unknown>, size: number): void {
  for (const oldest of map.keys()) if (map.size > size) map.delete(oldest);
}
