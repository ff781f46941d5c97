/** What has a slash form that does the same in a chat app; anything else is done at the machine alone. */
const typed =
  /\btalaria (?:gateway (resend)|(cron (?:list|add|pause|resume|run|remove|runs|why)|kanban|why|goal))(?![\w-])/g;

/** A text of ours that names commands of the machine, as it is said in a chat. */
export const inChatWords = (text: string): string =>
  text.replaceAll(typed, (_whole, ofGateway: string | undefined, same: string) => `/${ofGateway ?? same}`);
