import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { type Database, sql } from '../../src/database/database.ts'
import { builtIns } from '../../src/imports/organizations/document-schema.ts'
import { subjectTypes } from '../../src/content-policy/schema.ts'
import { transitionNames } from '../../src/issue-lifecycle/transitions.ts'
import { moderationStates, statuses } from '../../src/issue-lifecycle/status.ts'
import { itemStates } from '../../src/moderation/item-queries.ts'
import { memberRoles } from '../../src/http/identity/roles.ts'
import { questionTypes } from '../../src/request-types/schema.ts'
import { roles } from '../../src/users/rules.ts'
import { frequencies, watchTopics } from '../../src/watch-areas/schema.ts'
import { openTestDatabase } from '../helpers/database.ts'
import { queryRows } from '../helpers/query-rows.ts'

/** The order matters, because PostgreSQL sorts an enum by its declaration. */
const inCode: Readonly<Record<string, readonly string[]>> = {
  built_in_question: builtIns,
  issue_transition: transitionNames,
  issue_status: statuses,
  member_role: memberRoles,
  moderated_subject: subjectTypes,
  moderation_item_state: itemStates,
  moderation_state: moderationStates,
  question_type: questionTypes,
  token_kind: ['token', 'session'],
  token_purpose: ['confirm_email', 'reset_password', 'revert_email_change', 'erase_account', 'download_export'],
  user_role: roles,
  watch_about: watchTopics,
  watch_area_kind: ['polygon', 'circle', 'box', 'place'],
  watch_frequency: frequencies,
}

let db: Database
beforeAll(async () => {
  db = await openTestDatabase()
})
afterAll(() => db.close())

describe('enums of the database', () => {
  it('have the values of the code', async () => {
    const rows = await queryRows<{ name: string; values: string[] }>(
      db,
      sql`
        SELECT t.typname::text AS name, array_agg(e.enumlabel::text ORDER BY e.enumsortorder) AS values
        FROM pg_type t JOIN pg_enum e ON e.enumtypid = t.oid
        WHERE t.typnamespace = 'public'::regnamespace
        GROUP BY t.typname`,
    )

    expect(Object.fromEntries(rows.map(({ name, values }) => [name, values]))).toEqual(inCode)
  })
})
