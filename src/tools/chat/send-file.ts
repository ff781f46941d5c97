import { isAbsolute, join } from "node:path";
import { z } from "zod";
import type { OutFile, Platform } from "../../core/gateway/chat.ts";
import type { ChatKey, OutboxTable } from "../../core/gateway/tables.ts";
import type { BegunCall } from "../../core/items.ts";
import { rightsOf } from "../../core/principal.ts";
import { jsonDigest } from "../../lib/digest.ts";
import { isInside } from "../../lib/sandbox/paths.ts";
import { openInside } from "../files/open-inside.ts";
import { type ApprovalRequest, type Tool, type ToolContext, type ToolResult, failed } from "../tool.ts";
import { type NotSendable, type Sendable, copyOut, dropCopy, lookAt, nameFor } from "./outgoing-copy.ts";

const schema = z.object({
  path: z.string().min(1).describe("File to send, inside the working folder; relative to it or absolute"),
  caption: z.string().max(800).optional().describe("A line or two that stand with it, in Markdown"),
});
type Args = z.infer<typeof schema>;

/** Where a turn is answered. `isOwn`: nobody but the owner reads there. `name`: for whoever is asked. */
export type ChatTarget = ChatKey & {
  readonly replyTo?: string;
  readonly isOwn: boolean;
  readonly name: string;
};

export type SendFileDeps = {
  /** `undefined`: what the turn does was not asked for in a chat. */
  target(context: Pick<ToolContext, "turn" | "from" | "audience">): Promise<ChatTarget | undefined>;
  readonly outbox: Pick<OutboxTable, "get" | "add">;
  /** Where copies are kept until they are sent, each in a folder with the name of its row. */
  readonly folder: string;
  /** Places whose files are not for models, wherever the working folder is. */
  readonly guarded: readonly string[];
  /** Where tools of ours put pictures and sounds. */
  readonly mediaFolder: string;
};

const mostBytes: Readonly<Record<Platform, number>> = {
  telegram: 50_000_000,
  slack: 50_000_000,
  discord: 10_000_000,
};

export const sendFileTool = (deps: SendFileDeps): Tool<typeof schema> => ({
  name: "send_file",
  toolset: "chat",
  description:
    "Send a file or picture into the chat that this conversation is held in: one inside the working folder, or one that " +
    "image_generate or text_to_speech made. It goes out before your answer.",
  schema,
  effect: "external",
  lasting: true,
  inOrder: true,
  timeoutMs: 120_000,
  maxOutputChars: 4000,
  asks: (args, context) => asked(deps, args, context),
  run: (args, context) => send(deps, args, context),
});

/** What goes to the owner alone needs no question. Everybody else's sees bytes that the owner has said yes to, and no others. */
async function asked(deps: SendFileDeps, args: Args, context: ToolContext): Promise<ApprovalRequest> {
  const target = await deps.target(context);
  if (target === undefined) return { refused: noChat };
  const name = nameFor(args.path);
  const common = { cwd: context.cwd, action: { kind: "tool" }, lasting: true } as const;
  if (target.isOwn) return { ...common, effect: "local", summary: `send ${name} to ${target.name}` };
  const opened = await openSendable(deps, args.path, context);
  if ("why" in opened) return { refused: opened.why };
  await using handle = opened.handle;
  const options = { most: mostBytes[target.surface], signal: context.signal };
  const looked = await lookAt({ path: args.path, handle }, options);
  if ("why" in looked) return { refused: looked.why };
  const { bytes, digest } = looked;
  return {
    ...common,
    effect: "external",
    summary: `send ${name} (${bytes} bytes) to ${target.name}`,
    reason: "Whoever reads that chat can read and keep it.",
    args: {
      path: args.path,
      ...(args.caption === undefined ? {} : { caption: args.caption }),
      bytes,
      sha256: digest,
      to: `${target.surface}:${target.chat}`,
    },
    run: (inner) => send(deps, args, inner, digest),
  };
}

async function send(
  deps: SendFileDeps,
  { path, caption }: Args,
  context: ToolContext,
  digest?: string,
): Promise<ToolResult> {
  const { call, clock, signal, turn } = context;
  const target = await deps.target(context);
  if (target === undefined || call === undefined) return failed(noChat);
  const id = rowOf(call);
  const there = await deps.outbox.get(id);
  if (there !== undefined) return onItsWay(there.body.kind === "file" ? there.body.file : undefined);
  const opened = await openSendable(deps, path, context);
  if ("why" in opened) return failed(opened.why);
  await using handle = opened.handle;
  const folder = join(deps.folder, id);
  const options = { most: mostBytes[target.surface], signal, ...(digest === undefined ? {} : { digest }) };
  const file = await copyOut({ path, handle }, folder, options);
  if ("why" in file) return failed(file.why);
  const { surface, account, chat, replyTo } = target;
  const body = { kind: "file", file, ...(caption === undefined ? {} : { caption }) } as const;
  const row = { surface, account, chat, turn, body, ...(replyTo === undefined ? {} : { replyTo }) };
  if (signal.aborted) {
    await dropCopy(folder);
    return failed("interrupted");
  }
  // A copy without its row, after a crash just here, is swept away later.
  await deps.outbox.add({ ...row, byCall: { id, session: call.session, epoch: call.epoch } }, clock.now());
  return onItsWay(file);
}

/** The same rules as for `read_file`; of what our tools made, only the owner's own conversations may send. */
async function openSendable(
  { guarded, mediaFolder }: SendFileDeps,
  path: string,
  { cwd, from, audience, hidden = [] }: ToolContext,
): Promise<Pick<Sendable, "handle"> | NotSendable> {
  const isMedia = isAbsolute(path) && isInside(path, mediaFolder) && rightsOf(from, audience) === "owner";
  const opened = isMedia
    ? await openInside(mediaFolder, path)
    : await openInside(cwd, path, [...guarded, ...hidden]);
  if (opened.kind === "refused") return { why: opened.why };
  if (opened.kind === "folder") return { why: `${path} is a folder. Name a file in it, or pack it first.` };
  return { handle: opened.handle };
}

/** The same for the same call, and as old as its turn. At most 25 characters: platforms are told it, to know a message that comes again. */
const rowOf = ({ turn, id }: BegunCall): string =>
  `obx_${turn.slice(4, 13).padEnd(9, "0")}${jsonDigest([turn, id]).slice(0, 10)}`;

/** Nobody knows yet whether it arrives, so nothing here says so. */
const onItsWay = (file: Pick<OutFile, "name" | "bytes"> | undefined): ToolResult => ({
  ok: true,
  output:
    file === undefined
      ? "It was put on its way before."
      : `It is on its way; ${file.name} (${file.bytes} bytes) goes out before the answer.`,
});

const noChat =
  "This was not asked for in a chat app, so there is no chat to send it to. Say where the file is instead.";
