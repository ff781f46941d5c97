import type { OpenClient } from "../../core/host.ts";
import { sessionToStartIn } from "../../core/client/start-session.ts";
import { systemClock } from "../../lib/clock.ts";
import { type Chat, openChat } from "./chat.ts";
import { keyboard } from "./input/keyboard.ts";
import type { TuiOptions, TuiPorts } from "./ports.ts";
import { type Screen, openScreen } from "./screen.ts";

/** The chat on a whole terminal. It is painted before anything else is loaded, so that a person can type at once. */
export async function screen(ports: TuiPorts, options: TuiOptions): Promise<0 | 143> {
  const left = Promise.withResolvers<void>();
  const ready = Promise.withResolvers<Chat>();
  ready.promise.catch(() => {}); // told below
  let shown = "";
  let code: 0 | 143 = 0;
  {
    using painted = openScreen(ports, systemClock, {
      submit: (text, isPasted) =>
        void ready.promise.then((chat) => chat.submit(text, isPasted)).catch(() => {}),
      image: () => void ready.promise.then((chat) => chat.attach()).catch(() => {}),
      host: async () => (await opening).host,
    });
    using cleanup = new DisposableStack();
    cleanup.defer(() => painted.paintLast());
    const keys = { screen: painted, chat: ready.promise, clock: systemClock, leave: left.resolve };
    cleanup.use(keyboard({ ...keys, abandon: () => abandon(painted) }));
    const onEnd = (signal?: NodeJS.Signals): void => {
      if (signal === "SIGTERM") code = 143;
      left.resolve();
    };
    cleanup.use(leaveWith(ports, painted, onEnd));
    const opening = openWith(ports, options, painted, left.resolve);
    opening.then(({ chat }) => ready.resolve(chat), ready.reject);
    // Leaving while the host still opens waits for it: what was opened has to be closed.
    await Promise.race([left.promise, opening.then(() => left.promise)]);
    const { host, chat } = await opening;
    painted.leave();
    await host[Symbol.asyncDispose]();
    chat.end();
    shown = chat.farewell();
  }
  process.stdout.write(shown);
  return code;
}

function abandon(painted: Screen): never {
  painted[Symbol.dispose]();
  process.exit(130);
}

async function openWith(
  ports: TuiPorts,
  options: TuiOptions,
  painted: Screen,
  leave: () => void,
): Promise<{ readonly host: OpenClient; readonly chat: Chat }> {
  const { profile, attach = true, resume, continue: newest } = options;
  const named = profile === undefined ? {} : { profile };
  const host = await ports.openHost({ ...named, attach, longLived: true });
  const chat = openChat({ host, screen: painted, ports, clock: systemClock, leave });
  try {
    const chosen = typeof resume === "string" ? { session: resume } : {};
    const wanted = { ...chosen, ...(newest === undefined ? {} : { continue: newest }) };
    await chat.begin(await sessionToStartIn(host, wanted, ports.cwd));
    if (resume === true) void chat.submit("/resume");
    return { host, chat };
  } catch (error) {
    await host[Symbol.asyncDispose]();
    throw error;
  }
}

/** The terminal is left as it was found, whatever ends us. */
function leaveWith(ports: TuiPorts, painted: Screen, onEnd: (signal?: NodeJS.Signals) => void): Disposable {
  const leave = (): void => onEnd();
  const restore = (): void => {
    painted.tui.terminal.setTitle("");
    painted[Symbol.dispose]();
  };
  const ignore = ports.onSignal(["SIGINT", "SIGTERM", "SIGHUP"], onEnd);
  const woken = ports.onSignal(["SIGCONT"], () => painted.wake());
  process.once("uncaughtExceptionMonitor", restore);
  process.stdin.once("close", leave).once("end", leave);
  return {
    [Symbol.dispose]() {
      ignore();
      woken();
      process.off("uncaughtExceptionMonitor", restore);
      process.stdin.off("close", leave).off("end", leave);
    },
  };
}
