import { type FileHandle, open } from "node:fs/promises";
import { programOnPath } from "../program-on-path.ts";
import { type ProcessRegistry, spawnChild } from "../../lib/process/child.ts";
import type { Clock } from "../../lib/clock.ts";
import { shellEnvironment } from "../terminal/shell-environment.ts";
import { type Sound, soundOf } from "./sound-length.ts";
import type { Variables } from "../../lib/process/variables.ts";

/** The program, or `undefined` when it is not installed. */
export const findEspeak = ({ PATH }: Variables): string | undefined => programOnPath(["espeak-ng"], PATH);

export type SpeechRequest = {
  readonly program: string;
  readonly text: string;
  /** A voice or a language, in espeak-ng's own names. */
  readonly voice?: string;
  /** Where the WAV goes. */
  readonly file: string;
  readonly env: Variables;
  readonly processes: ProcessRegistry;
  readonly clock: Clock;
  readonly signal: AbortSignal;
};

/** `why` is a sentence for the model. Rejects with the reason of the signal, and when the file cannot be written. */
export async function speakOffline(request: SpeechRequest): Promise<Sound | { readonly why: string }> {
  const { program, text, voice, file, env, processes, clock, signal } = request;
  await using handle = await open(file, "wx+", 0o600);
  await using child = await spawnChild({
    command: program,
    // 1: the text is UTF-8, whatever the locale says. Its own `-w` would not tell that the disk is full.
    args: ["--stdin", "-b", "1", ...(voice === undefined ? [] : ["-v", voice]), "--stdout"],
    cwd: "/",
    env: shellEnvironment(env, { sandboxed: true }),
    kind: "espeak-ng",
    registry: processes,
    clock,
    signal,
  });
  await child.write(plainSpeech(text)).catch(() => {}); // it has ended, and its exit says why
  child.closeInput();
  for await (const chunk of child.stdout) await handle.writeFile(chunk);
  const { code, stderrTail } = await child.exited;
  signal.throwIfAborted();
  if (/voice does not exist/i.test(stderrTail))
    return {
      why: `espeak-ng has no voice ${voice ?? ""}. \`espeak-ng --voices\` lists those that there are.`,
    };
  if (code !== 0) {
    const words = lastLine(stderrTail) || `exit code ${code}`;
    return { why: `espeak-ng failed (${words}). Try again.` };
  }
  return await writeWavLength(handle);
}

/**
 * espeak-ng reads phonemes between double brackets and commands after control characters. Here every text is meant to be
 * read out.
 */
export const plainSpeech = (text: string): string =>
  text
    .toWellFormed()
    // oxlint-disable-next-line no-control-regex
    .replaceAll(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g, " ")
    .replaceAll(/\[(?=\[)/g, "[ ");

const headBytes = 4096;

/** Writes the length, which nobody knew before, into the sound's head: some players need it. */
async function writeWavLength(handle: FileHandle): Promise<Sound | { readonly why: string }> {
  const { size } = await handle.stat();
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0);
  const head = buffer.subarray(0, bytesRead);
  const data = head.indexOf("data", 12, "latin1");
  const sound = soundOf(head, size);
  if (sound?.format !== "wav" || data === -1)
    return { why: "espeak-ng wrote something that is no sound. Try again, or install it anew." };
  // Less than any sound of speech.
  if (sound.seconds < 0.05) return { why: "There is nothing in the text that can be spoken. Give words." };
  await handle.write(lengthBytes(size - 8), 0, 4, 4);
  await handle.write(lengthBytes(size - data - 8), 0, 4, data + 4);
  return sound;
}

function lengthBytes(length: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(length);
  return bytes;
}

const lastLine = (text: string): string => text.trim().split("\n").at(-1)?.trim().slice(0, 300) ?? "";
