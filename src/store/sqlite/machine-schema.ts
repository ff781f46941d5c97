/**
 * What lies on a machine has it in its key: pids and folders of several machines collide in a database that they share. A
 * child is where its owner is. Bindings that were there belong to whoever has the store, which was a file: they have no
 * host, as all those in a file.
 */
export const machineStep: readonly string[] = [
  `CREATE TABLE new_process (
    pid INTEGER NOT NULL,
    start_time TEXT NOT NULL,
    kind TEXT NOT NULL,
    owner_host TEXT NOT NULL,
    owner_pid INTEGER NOT NULL,
    owner_start_time TEXT NOT NULL,
    PRIMARY KEY (owner_host, pid, start_time)
  ) STRICT`,
  `INSERT INTO new_process (pid, start_time, kind, owner_host, owner_pid, owner_start_time)
    SELECT pid, start_time, kind, owner_host, owner_pid, owner_start_time FROM process`,
  `DROP TABLE process`,
  `ALTER TABLE new_process RENAME TO process`,

  `CREATE TABLE new_binding (
    session TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    host TEXT NOT NULL,
    runtime TEXT NOT NULL,
    cwd TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (session, host, runtime, cwd)
  ) STRICT`,
  `INSERT INTO new_binding (session, host, runtime, cwd, value) SELECT session, '', runtime, cwd, value FROM binding`,
  `DROP TABLE binding`,
  `ALTER TABLE new_binding RENAME TO binding`,
];
