import { hash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'

import type { IssueRow } from './issue-rows.ts'

export interface RepeatedId {
  readonly id: number
  /** The line of the first row with this id. */
  readonly first: number
}

/** Finds rows that have the id of an earlier row and other values. They are in a temporary database, which keeps memory constant. */
export function openRepeatedIds() {
  // SQLite deletes the file of a database without a name, even after a crash.
  const database = new DatabaseSync('')
  database.exec(`
    PRAGMA journal_mode = OFF;
    CREATE TABLE first_rows (id INTEGER PRIMARY KEY, line INTEGER NOT NULL, digest BLOB NOT NULL);
    CREATE TABLE repeated_rows (line INTEGER PRIMARY KEY, id INTEGER NOT NULL)`)
  const addFirst = database.prepare('INSERT INTO first_rows (id, line, digest) VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
  const addRepeated = database.prepare('INSERT INTO repeated_rows SELECT ?, id FROM first_rows WHERE id = ? AND digest <> ?')
  const findAny = database.prepare('SELECT 1 FROM repeated_rows LIMIT 1')
  const findLine = database.prepare(
    'SELECT repeated.id, first.line AS first FROM repeated_rows repeated JOIN first_rows first USING (id) WHERE repeated.line = ?',
  )
  return {
    add(rows: readonly IssueRow[]) {
      database.exec('BEGIN')
      for (const { line, ...values } of rows) {
        const digest = hash('sha1', JSON.stringify(values), 'buffer')
        if (addFirst.run(values.id, line, digest).changes === 0) addRepeated.run(line, values.id, digest)
      }
      database.exec('COMMIT')
    },
    isEmpty: () => findAny.get() === undefined,
    find: (line: number) => findLine.get(line) as unknown as RepeatedId | undefined,
    close: () => database.close(),
  }
}
