/** Notifications that we never read: codex need not send them. */
export const unreadMethods: readonly string[] = [
  "remoteControl/status/changed",
  "thread/readState/changed",
  "thread/goal/cleared",
  "deprecationNotice",
  "skills/changed",
];
