/** Why Slack refuses something and what to do about it, by Slack's own word. */
export function adviceFor(error: string, needed?: unknown): string {
  if (error === "missing_scope") {
    const scope = typeof needed === "string" ? ` ${needed}` : "";
    return `The Slack app lacks a scope it needs:${scope}. Add it under “OAuth & Permissions” and install the app again.`;
  }
  return advice[error] ?? `Slack refuses it: ${error}.`;
}

const newToken =
  "Slack does not accept the bot token. Copy it anew from “OAuth & Permissions” of the app, or install the app again.";
const tooLong =
  "Slack does not take a message of this length or form. Please report it: Talaria should have cut it.";
const mayNotWrite =
  "Whoever administers this workspace does not let the bot write there. Ask them, or use another chat.";
const gone = "The message is not there any more, or Slack does not let the bot change it.";

const advice: Readonly<Record<string, string>> = {
  channel_not_found:
    "Slack knows no such chat for this bot: it was deleted, or the bot is not in it. Invite the bot to it.",
  not_in_channel: "The bot is not in this channel. Invite it there with /invite.",
  is_archived: "The channel is archived. Unarchive it, or use another one.",
  msg_too_long: tooLong,
  msg_blocks_too_long: tooLong,
  invalid_blocks: tooLong,
  no_text: tooLong,
  restricted_action: mayNotWrite,
  restricted_action_read_only_channel: mayNotWrite,
  restricted_action_thread_only_channel: mayNotWrite,
  restricted_action_non_threadable_channel: mayNotWrite,
  restricted_action_thread_locked: mayNotWrite,
  team_access_not_granted: mayNotWrite,
  ekm_access_denied: mayNotWrite,
  messages_tab_disabled:
    "People cannot write to this bot directly. Switch on the Messages tab under “App Home” of the app.",
  cannot_reply_to_message: "Slack does not let anybody answer the message in a thread.",
  message_limit_exceeded: "The workspace has reached its limit of messages. Its plan decides that.",
  message_not_found: gone,
  cant_update_message: gone,
  cant_delete_message: gone,
  edit_window_closed: gone,
  file_not_found: "The file is not there any more.",
  storage_limit_reached: "The workspace has no room left for files.",
  invalid_auth: newToken,
  not_authed: newToken,
  token_revoked: newToken,
  token_expired: newToken,
  account_inactive: newToken,
  not_allowed_token_type:
    "This is another kind of token than Slack wants here: the bot's begins with xoxb-, the app's with xapp-.",
};
