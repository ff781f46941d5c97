import { platforms } from "../core/gateway/chat.ts";
import { type Operation, operation, owner, people } from "./operation.ts";

const role = "owner, member or guest";

/** Chat apps, and who is let in there. */
export const gateway: readonly Operation[] = [
  operation("gateway.status", owner, "read", "how the bots are, what waits, and what did not arrive", {
    cli: { usage: "gateway status", json: "one JSON object", isDefault: true },
  }),
  operation("gateway.people", owner, "read", "who was let in, and who asks to be", {
    cli: { usage: "gateway people", json: true },
  }),
  operation("gateway.pair", owner, "admin", "let in whoever was given this code", {
    local: true,
    cli: {
      usage: "gateway pair <code>",
      argument: "what the bot has answered them",
      options: { "--role <role>": `${role}; member unless said` },
      json: "one JSON object",
    },
  }),
  operation("gateway.allow", owner, "admin", "let somebody in, or a whole group by the id of its chat", {
    local: true,
    cli: {
      usage: "gateway allow <who>",
      argument: "such as telegram:12345; /whoami in a chat says it",
      options: {
        "--role <role>": `${role}; member unless said`,
        "--name <name>": "what they are called in lists",
      },
      json: "one JSON object",
    },
  }),
  operation("gateway.revoke", owner, "admin", "let them in no more; what runs for them ends", {
    cli: { usage: "gateway revoke <who>", argument: "such as telegram:12345", json: "one JSON object" },
  }),
  operation(
    "gateway.test",
    owner,
    "operate",
    "send yourself a message through each bot, and wait for its receipt",
    {
      cli: { usage: "gateway test [surface]", argument: platforms.join(", "), json: true },
    },
  ),
  operation(
    "gateway.resend",
    people,
    "operate",
    "Send a message again that did not arrive, or may not have",
    {
      anywhere: true,
      cli: {
        usage: "gateway resend <id>",
        argument: "obx_…, as `talaria gateway status` names it",
        json: "one JSON object",
      },
      slash: {
        name: "resend",
        args: "ID",
        more: "What may have arrived could then be there twice: nobody but you can tell.",
        where: platforms,
        chats: ["member", "guest"],
      },
    },
  ),
];
