import type { Said } from "./said.ts";

/**
 * Small requests that chat programs send beside a conversation, to the same model and under the same name: a title, tags,
 * what could be asked next. Known by how their texts begin or what they demand, never by what is missing in them.
 */
const marks: readonly RegExp[] = [
  // Open WebUI: title, tags, follow-ups, queries, autocompletion.
  /^### Task:\s*\n(?:Generate (?:a concise|1-3 broad tags)|Suggest 3-5 relevant follow-up|Analyze the chat history to determine|You are an autocompletion system)/,
  /### Chat History:\s*\n<chat_history>[\s\S]*<\/chat_history>\s*$/,
  // LibreChat: the title of a conversation.
  /^(?:Provide|Please generate|Generate|Write) a (?:concise|short|brief)[^\n]{0,60} title /i,
  /Analyze this conversation and provide:\s*\n1\. The detected language/,
];

export function isHelperPrompt({ system, earlier, now }: Said): boolean {
  const users = earlier.filter(({ role }) => role === "user").length;
  const text = [system, ...now.map((part) => (part.type === "text" ? part.text : ""))].join("\n").trim();
  return users === 0 && marks.some((mark) => mark.test(text));
}
