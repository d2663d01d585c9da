import { beforeEach, describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import type { Browser } from '../helpers/browser.ts'
import { createLoggedInBrowser } from '../helpers/logged-in-browser.ts'
import { queryRows } from '../helpers/query-rows.ts'
import { useApp } from '../helpers/use-app.ts'
import { createImage } from '../media/stored-images.ts'

type FlaggedType = 'issue' | 'comment' | 'question' | 'answer' | 'user'

/** The columns with texts and pictures that residents write and others read, and the content whose flag is about them. */
const flagged: Readonly<Record<string, FlaggedType>> = {
  'issues.summary': 'issue',
  'issues.description': 'issue',
  'issues.address': 'issue',
  'issues.video_url': 'issue',
  'issue_answers.question': 'issue',
  'issue_answers.answer': 'issue',
  'issue_answers.value': 'issue',
  'media.full_key': 'issue',
  'media.square_key': 'issue',
  'media.representative_key': 'issue',
  'comments.comment': 'comment',
  'comments.video_url': 'comment',
  'questions.question': 'question',
  'answers.answer': 'answer',
  'users.name': 'user',
  'users.avatar_full': 'user',
  'users.avatar_square': 'user',
}

/** The columns and tables that hold no text or picture of a resident that others read. */
const notFlagged = {
  'only its owner reads it': [
    'tokens',
    'report_draft_images',
    'report_draft_links',
    'report_draft_mails',
    'report_drafts',
    'watch_areas',
    'webhooks',
    'webhook_deliveries',
  ],
  'only moderators or operators read it': ['flags', 'mails', 'outbox_deliveries', 'report_receipts', 'workers'],
  'moderators and operators write it': [
    ...['moderation_items', 'moderation_hosts', 'organizations', 'pending_memberships', 'places', 'request_types'],
    ...[
      'forwarding_endpoints',
      'forwarding_service_codes',
      'request_type_questions',
      'issues.category',
      'issues.source',
      'issues.remote_title',
      'issues.remote_status',
      'issues.import_key',
    ],
  ],
  'the service writes it': [
    ...['_prisma_migrations', 'draft_mail_opt_outs', 'events', 'idempotency_keys', 'mail_limits', 'one_time_tokens', 'rate_limits'],
    ...['search_words', 'signing_keys', 'suppressed_addresses', 'table_versions', 'trusted_devices'],
    ...['issues.source', 'media.content_type', 'users.password_hash'],
  ],
  'another server or an employee writes it': [
    ...['forwarded_issues', 'forwarded_updates', 'report_origins', 'service_request_updates'],
    ...['issue_log', 'issue_notes', 'issue_targets', 'issue_transfers', 'issue_merges', 'bulk_runs', 'bulk_run_issues'],
    ...[
      'calendars',
      'response_templates',
      'saved_views',
      'issues.outcome',
      'status_changes.outcome',
      'status_changes.passed_on_to',
    ],
  ],
  'it is in no answer': ['email_addresses', 'issues.device_id', 'issues.device_os', 'issues.device_name', 'comments.device_id'],
  'it is a language tag': ['answers.locale', 'comments.locale', 'issues.locale', 'questions.locale', 'users.locale'],
  'PostGIS owns it': ['geography_columns', 'geometry_columns', 'spatial_ref_sys'],
}

const app = useApp()
let browser: Browser
let pages: Readonly<Record<FlaggedType, { readonly page: string; readonly flag: string }>>

beforeEach(async () => {
  const author = await app.create.user()
  const city = await app.create.place({ name: 'New Haven' })
  const issue_id = await app.create.issue({ reporter: author })
  await createImage(app, { issue_id })
  const comment = await app.create.comment({ on: issue_id, by: author })
  await createImage(app, { issue_id, comment_id: comment })
  const question = await app.create.question({ place: city.id, by: author })
  const answer = await app.create.answer({ on: question, by: author })
  browser = await createLoggedInBrowser(app, await app.create.user())
  pages = {
    issue: { page: `/issues/${issue_id}`, flag: `/issues/${issue_id}/flag` },
    comment: { page: `/issues/${issue_id}`, flag: `/comments/${comment}/flag` },
    question: { page: `/questions/${question}`, flag: `/questions/${question}/flag` },
    answer: { page: `/questions/${question}`, flag: `/answers/${answer}/flag` },
    user: { page: `/users/${author.id}`, flag: `/users/${author.id}/flag` },
  }
})

describe('every text and picture of a resident', () => {
  it('is listed here, so that a new one is not forgotten', async () => {
    const columns = await queryRows<{ table_name: string; column_name: string }>(
      app.db,
      sql`
      SELECT c.table_name, c.column_name FROM information_schema.columns c
      WHERE c.table_schema = 'public' AND c.data_type IN ('text', 'ARRAY', 'jsonb', 'character varying')`,
    )
    const known = new Set([...Object.keys(flagged), ...Object.values(notFlagged).flat()])

    const unknown = columns.filter(
      ({ table_name, column_name }) => !known.has(table_name) && !known.has(`${table_name}.${column_name}`),
    )

    expect(unknown.map(({ table_name, column_name }) => `${table_name}.${column_name}`)).toEqual([])
  })

  it.each([...new Set(Object.values(flagged))])('can be flagged from its page, once by each user: %s', async (type) => {
    const { page, flag } = pages[type]

    const link = (await browser.get(page)).text.match(new RegExp(`href="(?:/api/v2)?(${flag})"`))?.[1] ?? ''
    const form = await browser.get(link)
    const sent = await browser.post(link, { message: 'An insult.' })
    const again = await browser.post(link, { message: 'An insult.' })

    expect(form.text).toContain('<textarea id="field-message"')
    expect([sent, again].map(({ status, headers }) => [status, headers['location']])).toEqual(Array(2).fill([303, flag]))
    expect((await browser.get(flag)).visibleText).toContain('You have flagged this')
    expect(await queryRows(app.db, sql`SELECT f.message FROM flags f`)).toEqual([{ message: 'An insult.' }])
  })

  it.each(['issue', 'comment', 'question', 'answer'] as const)(
    'has a way to its author’s name and picture, unless it is anonymous: %s',
    async (type) => {
      const shown = (await browser.get(pages[type].flag)).text
      await app.db.prisma.issue.updateMany({ data: { anonymous: true } })
      const anonymous = (await browser.get(pages[type].flag)).text

      expect(shown).toContain(`<a href="${pages.user.flag}">`)
      expect(anonymous.includes(`<a href="${pages.user.flag}">`)).toBe(type !== 'issue')
    },
  )
})
