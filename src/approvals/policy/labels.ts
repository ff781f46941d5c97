/** What makes an action worth a question, in the words a person reads. `final`: it cannot be taken back. */
export const labels = {
  "recursive-delete": { means: "deletes folders with everything in them", final: true },
  erase: { means: "overwrites or empties files so that they cannot be restored", final: true },
  disk: { means: "changes disks, partitions or file systems", final: true },
  "git-discard": { means: "throws away work that git does not keep", final: true },
  "history-rewrite": { means: "rewrites or deletes history that others may have", final: true },
  "data-destroy": { means: "deletes data of a database", final: true },
  "cloud-destroy": { means: "deletes things that run or are stored elsewhere", final: true },
  "fork-bomb": { means: "starts itself again and again", final: true },
  delete: { means: "deletes files", final: false },
  "instructs-agents": { means: "changes a file that instructs agents", final: false },
  "sensitive-write": { means: "changes a file that decides what runs later or who may log in", final: false },
  "system-write": { means: "changes files of the system", final: false },
  "outside-write": { means: "changes files outside the working folder", final: false },
  secrets: { means: "reads files that hold keys or passwords", final: false },
  privilege: { means: "runs as another user", final: false },
  permissions: { means: "changes who may read, write or own files", final: false },
  service: { means: "changes the running system or its services", final: false },
  schedule: { means: "makes something run later by itself", final: false },
  kill: { means: "ends other processes", final: false },
  container: { means: "starts a container that reaches into this machine", final: false },
  remote: { means: "connects to another machine", final: false },
  upload: { means: "sends data to another machine", final: false },
  publish: { means: "publishes or deploys something", final: false },
  "download-run": { means: "runs what it loads from the network", final: false },
  "inline-code": { means: "starts other programs from code inside the command", final: false },
  hijack: { means: "changes which program another program starts", final: false },
  agent: { means: "starts another agent", final: false },
  "fed-shell": { means: "lets a shell run what another command prints", final: false },
  "hidden-text": { means: "holds characters that do not show as what they are", final: false },
  obscure: { means: "cannot be seen through", final: false },
} as const satisfies Readonly<Record<string, { readonly means: string; readonly final: boolean }>>;

export type Label = keyof typeof labels;

export const isFinal = (label: Label): boolean => labels[label].final;

/** What a person reads of them. */
export const meaning = (found: readonly Label[]): string =>
  `It ${found.map((label) => labels[label].means).join("; it ")}.`;

/** The same text may do something else next time: an exact rule for it would promise too much. */
export const changesMeaning: ReadonlySet<Label> = new Set<Label>([
  "download-run",
  "fed-shell",
  "hidden-text",
  "obscure",
]);

/** In the order of the table, so that the gravest comes first. */
export const inOrder = (found: ReadonlySet<Label>): readonly Label[] =>
  (Object.keys(labels) as Label[]).filter((label) => found.has(label));
