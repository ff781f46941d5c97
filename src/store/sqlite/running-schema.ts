/** What turns have left running, for each process that ran them: a start after its end tells the person of it. */
export const runningStep: readonly string[] = [
  `CREATE TABLE left_running (
    session TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    owner_host TEXT NOT NULL,
    owner_pid INTEGER NOT NULL,
    owner_start_time TEXT NOT NULL,
    list TEXT NOT NULL,
    PRIMARY KEY (session, owner_host, owner_pid, owner_start_time)
  ) STRICT`,
];
