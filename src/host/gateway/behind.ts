import { join } from "node:path";
import {
  type BotDuty,
  type GatewayBehind,
  type LiveGateway,
  gatewayAlert,
} from "../../core/gateway/gateway.ts";
import { newId } from "../../core/ids.ts";
import { botDuty } from "../../lib/secret.ts";
import { takeDuty } from "../../work/dispatch/duty.ts";
import type { Foundation } from "../foundation.ts";
import { inputSettings } from "../operations/own-input.ts";
import { receivedFolder } from "./received-files.ts";

type Parts = Pick<
  Foundation,
  "store" | "storeNews" | "loaded" | "clock" | "owner" | "isGone" | "log" | "homeDir" | "routes"
>;

/** What a gateway has of a host, and what the host knows of a gateway that is open in this process. */
export type HostGateway = {
  readonly behind: GatewayBehind;
  live(): LiveGateway | undefined;
};

export function hostGateway(parts: Parts): HostGateway {
  const { store, storeNews, loaded, clock, log } = parts;
  const { gateway, work, home } = loaded.config;
  let open: LiveGateway | undefined;
  const { received, chats, people, outbox } = store;
  return {
    live: () => open,
    behind: {
      settings: {
        ...gateway,
        get zone() {
          return work.zone;
        },
      },
      received,
      chats,
      people,
      outbox,
      secret: loaded.secret,
      takeBot: (token) => takeBot(parts, token),
      onOutbox: storeNews.onOutbox,
      alert: (subject, text) => alert(parts, subject, text),
      folder: join(home, "gateway"),
      workFolder: inputSettings(parts).folder,
      receivedFolder: (session, audience) => receivedFolder(parts, session, audience),
      news: {
        async untold() {
          const { chatNews } = await import("../../work/chat-news.ts");
          return chatNews({ store, settings: work, log });
        },
        tell: ({ outcomes }, row) => store.outcomes.handOver(outcomes, row, clock.now()),
        onNews: storeNews.onNews,
      },
      live: () => open,
      report(live) {
        open = live;
        return () => void (open = open === live ? undefined : open);
      },
    },
  };
}

async function takeBot(parts: Parts, token: string): ReturnType<GatewayBehind["takeBot"]> {
  const duty = botDuty(token);
  const held = await takeDuty(parts, duty);
  if ("busy" in held) return { busy: `pid ${held.busy.pid} on ${held.busy.host}` };
  const { lease, lost } = held;
  const close = async (): Promise<void> => held[Symbol.asyncDispose]();
  return { lease: { duty, epoch: lease.epoch }, lost, [Symbol.asyncDispose]: close } satisfies BotDuty;
}

/** Of the same subject there is one, however often it is said. */
async function alert({ store, clock }: Parts, subject: string, text: string): Promise<void> {
  const now = clock.now();
  await store.outcomes.note({
    id: newId("out", now),
    kind: "alert",
    subject: `${gatewayAlert}${subject}`,
    instant: 0,
    state: "ran",
    reason: text,
    lateMs: 0,
    at: now,
    settledAt: now,
    target: "local",
    delivery: "pending",
  });
}
