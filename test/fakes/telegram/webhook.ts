import { badRequest } from "./limits.ts";
import type { Args } from "./methods.ts";
import type { Update, World } from "./world.ts";

export type Webhook = {
  readonly info: {
    url: string;
    secret: string;
    connections: number;
    lastError?: string;
    lastErrorAt?: number;
  };
  readonly methods: Readonly<Record<string, (args: Args) => unknown>>;
  /** Hands what waits to whoever would be behind the address, in order, and confirms what is answered with 200. */
  deliver(
    post: (secret: string, body: string, update: Update) => Promise<number>,
  ): Promise<readonly number[]>;
};

export function newWebhook(world: World): Webhook {
  const info: Webhook["info"] = { url: "", secret: "", connections: 40 };
  return {
    info,
    methods: {
      setWebhook(args) {
        const [url, secret] = [String(args["url"] ?? ""), String(args["secret_token"] ?? "")];
        if (url !== "" && !url.startsWith("https://")) {
          throw badRequest("bad webhook: An HTTPS URL must be provided for webhook");
        }
        if (!/^[\w-]{0,256}$/.test(secret)) throw badRequest("secret token contains unallowed characters");
        Object.assign(info, { url, secret, connections: Number(args["max_connections"] ?? 40) });
        return true;
      },
      deleteWebhook(args) {
        Object.assign(info, { url: "", secret: "" });
        if (args["drop_pending_updates"] === true) world.updates = [];
        return true;
      },
      getWebhookInfo: () => ({
        url: info.url,
        has_custom_certificate: false,
        pending_update_count: world.updates.length,
        ...(info.lastErrorAt === undefined
          ? {}
          : { last_error_date: info.lastErrorAt, last_error_message: info.lastError }),
      }),
    },
    async deliver(post) {
      const statuses: number[] = [];
      for (const update of world.updates) {
        const status = await post(info.secret, JSON.stringify(update), update);
        statuses.push(status);
        if (status === 200) world.updates = world.updates.filter((other) => other !== update);
      }
      return statuses;
    },
  };
}
