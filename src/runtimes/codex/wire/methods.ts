/** Notifications of codex 0.166 that a turn has no use for. Any other that is not handled counts as drift. */
export const isIdleMethod = (method: string): boolean =>
  idle.has(method) || idleFamilies.some((family) => method.startsWith(family));

const idle: ReadonlySet<string> = new Set([
  "turn/moderationMetadata",
  "item/fileChange/outputDelta",
  "serverRequest/resolved",
  "deprecationNotice",
  "model/verification",
  "model/safetyBuffering/updated",
  "mcpServer/oauthLogin/completed",
  "command/exec/outputDelta",
  "skills/changed",
  "fs/changed",
  "project/changed",
]);

const idleFamilies: readonly string[] = [
  "thread/",
  "account/",
  "hook/",
  "item/autoApprovalReview/",
  "autoApprovalReview/",
  "rawResponse",
  "process/",
  "mcpServer/event/",
  "app/",
  "remoteControl/",
  "externalAgentConfig/",
  "modelProvider/",
  "fuzzyFileSearch/",
  "windows",
];
