/** What the project asks of helpers, as every runtime tells it; empty when it asks nothing. */
export const projectText = (project: string): string =>
  project === "" ? "" : `The project says how to work in it:\n\n${project}`;
