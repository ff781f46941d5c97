/** Until when a question waits can change while it is open: its time does not run while somebody has it before them. */
export const postponeStep: readonly string[] = [
  `DROP TRIGGER approval_question_unchanged`,
  `CREATE TRIGGER approval_question_unchanged BEFORE UPDATE ON approval
    WHEN (
      new.seq, new.id, new.session, new.turn_id, new.runtime, new.surface, new.hash, new.asked_at,
      new.owner_host, new.owner_pid, new.owner_start_time, new.choices, new.labels, new.shown, new.question
    ) IS NOT (
      old.seq, old.id, old.session, old.turn_id, old.runtime, old.surface, old.hash, old.asked_at,
      old.owner_host, old.owner_pid, old.owner_start_time, old.choices, old.labels, old.shown, old.question
    )
  BEGIN
    SELECT RAISE(ABORT, 'what was asked does not change');
  END`,
  `CREATE TRIGGER approval_time_unchanged BEFORE UPDATE ON approval
    WHEN new.expires_at IS NOT old.expires_at AND old.state <> 'pending'
  BEGIN
    SELECT RAISE(ABORT, 'until when a question waited does not change');
  END`,
];
