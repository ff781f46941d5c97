import { z } from "zod";
import type { ProcessRegistry } from "../../lib/process/child.ts";
import { type Tool, type ToolContext, type ToolResult, failed } from "../tool.ts";
import { findEspeak, speakOffline } from "./espeak.ts";
import { makeMedia, saveMedia } from "./media-file.ts";
import { type MediaService, type NoService, postTolerantly } from "./media-service.ts";
import { type Sound, soundOf } from "./sound-length.ts";

export type SpeechDeps = {
  /** Who speaks: the program on this machine, or a service. */
  readonly speaker: () => "espeak" | MediaService | NoService;
  /** Unless a call names another. */
  readonly voice?: string;
  readonly mediaFolder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly processes: ProcessRegistry;
};

const voiceName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_+.-]{0,63}$/, "letters, digits, - _ + . (64 at most)");

const schema = z.object({
  text: z
    .string()
    .trim()
    .min(1, "text to speak")
    .max(5000)
    .describe("What to say (5,000 characters at most)"),
  voice: voiceName.optional().describe("Name of a voice (default: the one of the settings)"),
  language: voiceName.optional().describe("Language of the text, like en or pt-br, where no voice is named"),
});
type Args = z.infer<typeof schema>;

const limits = { bytes: 64 * 1024 * 1024, ms: 110_000 } as const;

export function textToSpeechTool(deps: SpeechDeps): Tool<typeof schema> {
  return {
    name: "text_to_speech",
    toolset: "tts",
    description: "Speak a text. The answer names the sound file (WAV or MP3) that it was put into.",
    schema,
    deferred: true,
    effect: "local",
    timeoutMs: limits.ms + 10_000,
    maxOutputChars: 4000,
    unavailable: () => unavailableOf(deps),

    async run(args, context) {
      const speaker = deps.speaker();
      if (speaker === "espeak") return speakHere(deps, args, context);
      return "unavailable" in speaker
        ? failed(speaker.unavailable)
        : speakThere(deps, speaker, args, context);
    },
  };
}

function unavailableOf({ speaker, env }: SpeechDeps): string | undefined {
  const who = speaker();
  if (who !== "espeak") return "unavailable" in who ? who.unavailable : undefined;
  return findEspeak(env) === undefined ? notInstalled : undefined;
}

const notInstalled =
  "espeak-ng is not installed. Install it (`apt install espeak-ng`, `brew install espeak-ng`), or set tts.provider to a provider that speaks.";

async function speakHere(deps: SpeechDeps, args: Args, context: ToolContext): Promise<ToolResult> {
  const { env, processes, mediaFolder } = deps;
  const { clock, signal } = context;
  const program = findEspeak(env);
  if (program === undefined) return failed(notInstalled);
  const voice = args.voice ?? args.language ?? deps.voice;
  const request = { program, text: args.text, ...(voice === undefined ? {} : { voice }) };
  const name = { kind: "speech", content: `${voice ?? ""} ${args.text}`, ending: ".wav" } as const;
  const saved = await makeMedia(mediaFolder, name, clock, (file) =>
    speakOffline({ ...request, file, env, processes, clock, signal }),
  );
  return "why" in saved ? failed(`Nothing was spoken: ${saved.why}`) : spoken(saved, saved.made);
}

async function speakThere(
  deps: SpeechDeps,
  service: MediaService,
  args: Args,
  context: ToolContext,
): Promise<ToolResult> {
  const { signal, clock } = context;
  const voice = args.voice ?? deps.voice;
  const body = {
    model: service.model,
    input: args.text,
    response_format: "wav",
    ...(voice === undefined ? {} : { voice }),
  };
  const options = { signal, clock, maxBytes: limits.bytes, limitMs: limits.ms };
  const { answer } = await postTolerantly(
    service,
    "/audio/speech",
    body,
    { response_format: "mp3" },
    options,
  );
  signal.throwIfAborted();
  if (!answer.ok)
    return failed(`Nothing was spoken: ${answer.why}${answer.badField === "voice" ? voiceStep : ""}`);
  const sound = soundOf(answer.body, answer.body.length);
  if (sound === undefined || sound.seconds === 0)
    return failed(
      `${service.name} answered with something that is no WAV and no MP3. Check that the model in tts.model speaks.`,
    );
  const name = { kind: "speech", ending: `.${sound.format}` } as const;
  const saved = await saveMedia(deps.mediaFolder, name, answer.body, context);
  return "why" in saved ? failed(`The sound was made and is lost. ${saved.why}`) : spoken(saved, sound);
}

const voiceStep = " Name one of its voices in `voice`, or in the setting tts.voice.";

function spoken(
  { path, bytes }: { readonly path: string; readonly bytes: number },
  { seconds, format }: Sound,
): ToolResult {
  const facts = `${seconds.toFixed(1)} seconds, ${format.toUpperCase()}, ${bytes} bytes`;
  return { ok: true, output: `The speech is in ${path} (${facts}).` };
}
