/** What runs inside of pages. What comes back was made by the page, and is parsed like all else from outside. */

/** Resolves when the page has not changed for a moment, or after a second. */
export const untilQuiet = `new Promise((resolve) => {
  let quiet = setTimeout(done, 100);
  const late = setTimeout(done, 1000);
  const watcher = new MutationObserver(() => {
    clearTimeout(quiet);
    quiet = setTimeout(done, 100);
  });
  watcher.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  function done() {
    clearTimeout(quiet);
    clearTimeout(late);
    watcher.disconnect();
    resolve(true);
  }
})`;

/** The first pictures of a document, those in shadow trees included. */
export const picturesIn = (most: number): string => `(() => {
  const found = [];
  const look = (root) => {
    for (const element of root.querySelectorAll("*")) {
      if (found.length >= ${most}) return;
      if (element.shadowRoot) look(element.shadowRoot);
      if (element.tagName !== "IMG") continue;
      const { src, currentSrc, alt, naturalWidth, naturalHeight } = element;
      found.push({ src: currentSrc || src, alt, width: naturalWidth, height: naturalHeight });
    }
  };
  look(document);
  return found;
})()`;

/** What stands in password fields: the tree that we show has it in clear text. */
export const passwordsIn = `(() => {
  const found = [];
  const look = (root) => {
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) look(element.shadowRoot);
      if (element.tagName === "INPUT" && element.type === "password" && element.value) found.push(element.value);
    }
  };
  look(document);
  return found;
})()`;

/** The element that has the focus, also when it stands in a shadow tree. */
export const focusedIn = `(() => {
  let element = document.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  return element;
})()`;

export const scrollBy = (direction: "up" | "down"): string => `(() => {
  const before = window.scrollY;
  window.scrollBy({ top: ${direction === "up" ? "-" : ""}window.innerHeight * 0.8, behavior: "instant" });
  const height = document.documentElement.scrollHeight;
  return { before, after: window.scrollY, below: Math.max(0, height - window.innerHeight - window.scrollY) };
})()`;
