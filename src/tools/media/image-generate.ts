import { z } from "zod";
import { isPlainObject, fieldsOf, listOf, parsedJson } from "../../core/json.ts";
import type { SessionId } from "../../core/ids.ts";
import type { Tokens } from "../../core/usage.ts";
import { pictureOf } from "../../lib/picture.ts";
import type { Fetched } from "../net/guarded-fetch.ts";
import { type Tool, type ToolContext, type ToolResult, failed } from "../tool.ts";
import { saveMedia } from "./media-file.ts";
import { type MediaService, type NoService, postTolerantly } from "./media-service.ts";
import { pixelSize } from "./pixel-size.ts";

export type ImageDeps = {
  readonly service: () => MediaService | NoService;
  readonly mediaFolder: string;
  /** For a service that answers with an address. */
  readonly fetch: (url: string, context: Pick<ToolContext, "signal" | "clock">) => Promise<Fetched>;
  /** Why nothing more may be spent, if that is so. */
  readonly usedUp: (session: SessionId) => Promise<string | undefined>;
  readonly record: (tokens: Tokens, service: MediaService, session: SessionId) => Promise<void>;
};

const schema = z.object({
  prompt: z.string().trim().min(1).max(10_000).describe("What the picture is to show, in words"),
  aspect: z.enum(["landscape", "square", "portrait"]).optional().describe("Shape (default square)"),
});
type Aspect = NonNullable<z.infer<typeof schema>["aspect"]>;

const limits = { bytes: 64 * 1024 * 1024, ms: 170_000 } as const;

export function imageGenerateTool(deps: ImageDeps): Tool<typeof schema> {
  return {
    name: "image_generate",
    toolset: "image_gen",
    description: "Draw a picture from a description. The answer names the file that it was put into.",
    schema,
    deferred: true,
    effect: "local",
    timeoutMs: limits.ms + 30_000,
    maxOutputChars: 4000,
    unavailable: () => unavailableIn(deps.service()),

    async run({ prompt, aspect = "square" }, context) {
      const service = deps.service();
      if ("unavailable" in service) return failed(service.unavailable);
      const spent = await deps.usedUp(context.session);
      if (spent !== undefined) return failed(`Nothing was drawn: ${spent}`);
      const { signal, clock } = context;
      const body = {
        model: service.model,
        prompt,
        n: 1,
        size: sizeOf(service.model, aspect),
        response_format: "b64_json",
      };
      const optional = { size: undefined, response_format: undefined };
      const options = { signal, clock, maxBytes: limits.bytes, limitMs: limits.ms };
      const { answer, changed } = await postTolerantly(
        service,
        "/images/generations",
        body,
        optional,
        options,
      );
      signal.throwIfAborted();
      if (!answer.ok) return failed(`Nothing was drawn: ${answer.why}`);
      const drawn = drawnIn(answer.body);
      if (drawn.tokens !== undefined) await deps.record(drawn.tokens, service, context.session);
      const saved = await savePicture(deps, service, drawn, context);
      return changed.includes("size") && saved.ok
        ? { ...saved, output: `${saved.output} ${service.model} does not let its shape be chosen.` }
        : saved;
    },
  };
}

/** Of the sizes that models know. Pictures of one family have one size of their own. */
function sizeOf(model: string, aspect: Aspect): string {
  const long = /dall-e-3/i.test(model) ? 1792 : 1536;
  return { square: "1024x1024", landscape: `${long}x1024`, portrait: `1024x${long}` }[aspect];
}

type Drawn = { readonly base64?: string; readonly url?: string; readonly tokens?: Tokens };

function drawnIn(body: Buffer): Drawn {
  const answer = fieldsOf(parsedJson(body.toString("utf8")));
  const { b64_json: base64, url } = fieldsOf(listOf(answer["data"])[0]);
  const tokens = tokensIn(answer["usage"]);
  return {
    ...(typeof base64 === "string" && base64 !== "" ? { base64 } : {}),
    ...(typeof url === "string" && url !== "" ? { url } : {}),
    ...(tokens === undefined ? {} : { tokens }),
  };
}

function tokensIn(usage: unknown): Tokens | undefined {
  if (!isPlainObject(usage)) return undefined;
  return {
    input: count(usage["input_tokens"]),
    cached: 0,
    output: count(usage["output_tokens"]),
    reasoning: 0,
  };
}

const count = (value: unknown): number => (typeof value === "number" ? value : 0);

async function savePicture(
  deps: ImageDeps,
  service: MediaService,
  drawn: Drawn,
  context: ToolContext,
): Promise<ToolResult> {
  const found = await bytesOf(deps, service, drawn, context);
  if ("why" in found) return failed(found.why);
  const { bytes } = found;
  const picture = pictureOf("", bytes, { maxBytes: limits.bytes });
  const size = pixelSize(bytes);
  if ("why" in picture || size === undefined)
    return failed(`${service.name} answered with something that is not a picture. ${modelStep}`);
  const type = picture.mediaType.replace("image/", "");
  const name = { kind: "picture", ending: `.${type === "jpeg" ? "jpg" : type}` } as const;
  const saved = await saveMedia(deps.mediaFolder, name, bytes, context);
  if ("why" in saved) return failed(`The picture was drawn and is lost. ${saved.why}`);
  const facts = `${size.width} × ${size.height} pixels, ${type.toUpperCase()}, ${saved.bytes} bytes`;
  return { ok: true, output: `The picture is in ${saved.path} (${facts}).` };
}

async function bytesOf(
  { fetch }: ImageDeps,
  service: MediaService,
  { base64, url }: Drawn,
  context: ToolContext,
): Promise<{ readonly bytes: Buffer } | { readonly why: string }> {
  if (base64 !== undefined) return { bytes: Buffer.from(base64, "base64") };
  if (url === undefined) return { why: `${service.name} answered without a picture. ${modelStep}` };
  const found = await fetch(url, context);
  context.signal.throwIfAborted();
  if (!found.ok) return { why: `The picture was drawn, but could not be fetched: ${found.why}` };
  if (found.status !== 200)
    return { why: `The picture was drawn, but its address answered with ${found.status}. Try again.` };
  return { bytes: Buffer.from(found.body) };
}

const modelStep = "Check that the model in image_gen.model draws pictures.";

export const unavailableIn = (service: MediaService | NoService): string | undefined =>
  "unavailable" in service ? service.unavailable : undefined;
