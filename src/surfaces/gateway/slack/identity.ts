/** Who our bot is in its workspace. `botId`: what messages of its app carry besides the name of its user. */
export type SlackIdentity = {
  readonly team: string;
  readonly user: string;
  readonly botId?: string;
  /** Both in one word, as addresses carry it. */
  readonly account: string;
  readonly name: string;
};

export const accountOf = (team: string, user: string): string => `${team}-${user}`;
