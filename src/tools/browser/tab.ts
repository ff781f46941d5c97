import type { BrowserContext, Dialog, Page } from "playwright-core";
import { cutEnd } from "../cut-middle.ts";

/** Something that happened. `quote`: what the page itself said. */
export type TabNote = { readonly text: string; readonly quote?: string };

/** What one session has open: a page, and those below it that opened it. */
export type Tab = {
  /** The page that is looked at; opens one when there is none. */
  page(): Promise<Page>;
  /** Undefined: none is open. */
  current(): Page | undefined;
  /** Goes back to the page that opened this one. False: there is none. */
  closeTop(): Promise<boolean>;
  /** What happened since somebody last asked: dialogs, new pages, refused downloads. */
  takeNotes(): readonly TabNote[];
  /** Messages and errors of the page that is looked at, oldest first. */
  messages(clear: boolean): readonly string[];
  /** Leaves a page that does not answer any more. */
  leaveStuck(): Promise<void>;
  /** Set while a command runs, and left so by one that did not come back. */
  stuck: boolean;
  close(): Promise<void>;
};

const mostPages = 5;
const mostMessages = 200;
const mostNotes = 20;
const longestMessage = 1_000;

type AddNote = (text: string, quote?: string) => void;
type Opened = { readonly page: Page; messages: string[] };

export function openTab(context: BrowserContext): Tab {
  let stack: readonly Opened[] = [];
  let notes: readonly TabNote[] = [];
  let expected = false;
  const note: AddNote = (text, quote) => {
    notes = [...notes, { text, ...(quote === undefined ? {} : { quote }) }].slice(-mostNotes);
  };
  context.on("page", (page) => {
    const isPopup = !expected;
    if (isPopup && stack.length >= mostPages) {
      note(`A page wanted to open one more page. ${mostPages} are open already, so it was closed.`);
      return void page.close().catch(() => {});
    }
    if (isPopup) note("A new page opened, and it is the one shown now. browser_back closes it.");
    const opened: Opened = { page, messages: [] };
    stack = [...stack, opened];
    watch(opened, note, () => (stack = stack.filter((other) => other !== opened)));
  });
  const newPage = async (): Promise<Page> => {
    expected = true;
    return context.newPage().finally(() => (expected = false));
  };
  return {
    stuck: false,
    current: () => stack.at(-1)?.page,
    async page() {
      return stack.at(-1)?.page ?? newPage();
    },
    async closeTop() {
      const top = stack.at(-1);
      if (top === undefined || stack.length < 2) return false;
      stack = stack.slice(0, -1);
      await top.page.close();
      return true;
    },
    takeNotes() {
      const taken = notes;
      notes = [];
      return taken;
    },
    messages(clear) {
      const top = stack.at(-1);
      const messages = top?.messages ?? [];
      if (top !== undefined && clear) top.messages = [];
      return messages;
    },
    async leaveStuck() {
      const left = stack;
      stack = [];
      this.stuck = false;
      note("The page before did not answer any more and was closed.");
      await Promise.all(left.map(({ page }) => page.close().catch(() => {})));
    },
    close: () => context.close(),
  };
}

function watch(opened: Opened, note: AddNote, forget: () => void): void {
  const { page } = opened;
  const say = (text: string): void => {
    opened.messages = [...opened.messages, cutEnd(text, longestMessage)].slice(-mostMessages);
  };
  page.on("console", (message) => {
    const { url, lineNumber } = message.location();
    say(`[${message.type()}] ${message.text()}${url === "" ? "" : ` (${url}:${lineNumber + 1})`}`);
  });
  page.on("pageerror", (error) => say(`[uncaught] ${error.name}: ${error.message}`));
  page.on("dialog", (dialog) => void answer(dialog, note).catch(() => {}));
  page.on("download", (download) => {
    note("A download was refused.", `name of the download: ${cutEnd(download.suggestedFilename(), 200)}`);
    void download.cancel().catch(() => {});
  });
  page.on("requestfailed", (request) => {
    const why = request.failure()?.errorText ?? "";
    if (!request.isNavigationRequest() || /ERR_ABORTED/.test(why)) return;
    if (request.frame() === page.mainFrame()) note(`A page could not be loaded (${why}).`, request.url());
  });
  page.on("close", forget);
  page.on("crash", () => {
    note("The page crashed and was closed.");
    forget();
    void page.close().catch(() => {});
  });
}

/** Nobody is there to answer, so dialogs are dismissed; only "leave this page?" is answered with yes. */
async function answer(dialog: Dialog, note: AddNote): Promise<void> {
  if (dialog.type() === "beforeunload") return dialog.accept();
  note(
    `The page showed a dialog (${dialog.type()}), which was dismissed.`,
    `text of the dialog: ${cutEnd(dialog.message(), 500)}`,
  );
  await dialog.dismiss();
}
