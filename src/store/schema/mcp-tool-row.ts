export type McpToolRow = {
  readonly server: string;
  readonly name: string;
  readonly hash: string;
  readonly definition: string;
  readonly approved_at: number;
  readonly seen_hash: string;
  readonly seen_definition: string;
  readonly seen_at: number;
};
