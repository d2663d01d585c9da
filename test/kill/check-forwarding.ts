import { sql } from '../../src/database/database.ts'
import type { PostgresDatabase } from '../../src/database/postgres.ts'
import type { FakeEndpoint } from '../georeport/open-fake-endpoint.ts'
import { queryRows } from '../helpers/query-rows.ts'
import type { Finding } from './check-writes.ts'
import { FORWARDED_TYPE } from './create-world.ts'

/** Checks that the endpoint has each public issue of the request type, and each public comment on it, once. */
export async function checkForwarding(db: PostgresDatabase, { requests, updates }: FakeEndpoint): Promise<Finding[]> {
  const texts = await queryRows<{ kind: 'issue' | 'comment'; text: string }>(
    db,
    sql`
    SELECT 'issue' AS kind, i.summary AS text FROM issues i
    WHERE i.request_type_id = ${FORWARDED_TYPE} AND i.moderation_state = 'passed'
    UNION ALL
    SELECT 'comment', c.comment FROM comments c JOIN issues i ON i.id = c.issue_id
    WHERE i.request_type_id = ${FORWARDED_TYPE} AND i.moderation_state = 'passed' AND c.moderation_state = 'passed'
    ORDER BY kind, text`,
  )
  // The first line of a description is the text.
  const received = {
    issue: Map.groupBy(requests, firstLine),
    comment: Map.groupBy(updates, firstLine),
  }
  const expected = new Set(texts.map(({ kind, text }) => `${kind} ${text}`))
  const unexpected = Object.entries(received).flatMap(([kind, all]) =>
    [...all.keys()].filter((text) => !expected.has(`${kind} ${text}`)).map((text) => `the ${kind} “${text}”, which is not public`),
  )
  return [
    ...texts.flatMap(({ kind, text }): Finding[] => {
      const times = received[kind].get(text)?.length ?? 0
      if (times === 1) return []
      return [{ kind: times === 0 ? 'lost' : 'double', text: `the endpoint has the ${kind} “${text}” ${times} times` }]
    }),
    ...unexpected.map((text) => ({ kind: 'wrong' as const, text: `the endpoint has ${text}` })),
  ]
}

const firstLine = ({ description }: Readonly<Record<string, unknown>>): string => String(description).split('\n')[0] ?? ''
