export interface BareComment {
  readonly text: string
  readonly issue: number
  readonly commenter: number
}

/** The statements of one comment. Rows, locks and order are the same as in the service, which sends them as one statement. */
export const commentStatements: readonly {
  readonly name: string
  readonly text: string
  readonly values: (comment: BareComment, ids: Readonly<Record<string, unknown>>) => unknown[]
}[] = [
  {
    name: 'lock',
    text: 'SELECT u.id FROM users u WHERE u.id = $1 FOR NO KEY UPDATE',
    values: ({ commenter }) => [commenter],
  },
  {
    name: 'issue',
    text: `UPDATE issues SET updated_at = greatest(updated_at, now()), public_revision = public_revision + 1, changed_at = now(),
      all_changes_revision = all_changes_revision + 1 WHERE id = $1`,
    values: ({ issue }) => [issue],
  },
  {
    name: 'log',
    text: `INSERT INTO issue_changes (issue_id, cell, former_status, status, revised, keeps_filters) SELECT i.id, i.cell, i.status, i.status, true, true FROM issues i WHERE i.id = $1`,
    values: ({ issue }) => [issue],
  },
  {
    name: 'comment',
    text: `INSERT INTO comments (issue_id, commenter_id, comment, locale, moderation_state, created_at, updated_at)
      VALUES ($1, $2, $3, 'en', 'passed', now(), now()) RETURNING id`,
    values: ({ issue, commenter, text }) => [issue, commenter, text],
  },
  {
    name: 'points',
    text: 'UPDATE users SET civic_points = civic_points + 5 WHERE id = $1',
    values: ({ commenter }) => [commenter],
  },
  {
    name: 'event',
    text: `INSERT INTO events (type, subject_type, subject_id, actor_id, payload)
      VALUES ('comment.added', 'comment', $1, $2, jsonb_build_object('issue_id', $3::integer, 'comment_id', $1::integer)) RETURNING id`,
    values: ({ commenter, issue }, { comment }) => [comment, commenter, issue],
  },
  {
    name: 'delivery',
    text: `INSERT INTO outbox_deliveries (event_id, handler, delivered_at) VALUES ($1, 'notify', NULL)`,
    values: (_comment, { event }) => [event],
  },
]
