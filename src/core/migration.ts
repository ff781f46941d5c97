/** `talaria codex-runtime migrate`: what of our settings goes into codex's own config.toml, so that stock codex has it too. */
export interface Migration {
  /** Rejects with a Refusal or a FaultError only when the file could not be read or written; then it is as it was. */
  run(options: MigrationOptions): Promise<MigrationReport>;
  /** Codex's native plugins that are on, as `name@marketplace`. Rejects if codex cannot be asked. */
  activePlugins(): Promise<readonly string[]>;
}

/** `remove`: takes our block out again. */
export type MigrationOptions = { readonly dryRun?: boolean; readonly remove?: boolean };

export type MigrationReport = {
  readonly file: string;
  /** Unified diff of what was or would be written. Empty: there is nothing to change. */
  readonly diff: string;
  readonly written: boolean;
  readonly servers: readonly MigratedServer[];
  /** Codex's native plugins that are on, also those that only the person's own part of the file names. */
  readonly plugins: readonly string[];
  /** The default permission that was set, if the person had none. */
  readonly permission?: string;
  /** Is our own MCP server in the block? */
  readonly tools: boolean;
  /** Where the file is as it was before. */
  readonly backup?: string;
  /** What did not work, or what there is to know, each with the next step. */
  readonly warnings: readonly string[];
};

/** `yours`: the person's own table of that name is used. */
export type MigratedServer = {
  readonly name: string;
  readonly state: "migrated" | "yours" | "off" | "left out";
  readonly notes: readonly string[];
};
