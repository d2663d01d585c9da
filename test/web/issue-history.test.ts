import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import type { Status } from '../../src/issue-lifecycle/status.ts'
import { createBrowser } from '../helpers/browser.ts'
import { createLoggedInBrowser } from '../helpers/logged-in-browser.ts'
import { useApp } from '../helpers/use-app.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp()

interface Change {
  readonly on: number
  readonly from: Status | null
  readonly to: Status
  readonly at: string
  readonly by?: { readonly id: number }
  readonly comment?: number
}

const createChange = ({ on, from, to, at, by, comment }: Change) =>
  queryRows(
    app.db,
    sql`
    INSERT INTO status_changes (issue_id, actor_id, comment_id, from_status, to_status, created_at)
    VALUES (${on}, ${by?.id ?? null}, ${comment ?? null}, ${from}, ${to}, ${at}::timestamptz)`,
  )
const read = async (id: number) => (await createBrowser(app.fastify).get(`/issues/${id}`)).visibleText

describe('history on the issue page', () => {
  it('lists comments and transitions by time, joins a transition with its comment, and shows the archiving', async () => {
    const otto = await app.create.user({ name: 'Otto Grant' })
    const ella = await app.create.user({ name: 'Ella Reyes' })
    const on = await app.create.issue({ status: 'Archived' })
    await app.create.comment({ on, by: otto, comment: 'It is deep.', created_at: '2026-02-01T10:00:00Z' })
    const seen = await app.create.comment({ on, by: ella, comment: 'We come on Monday.', created_at: '2026-02-02T10:00:00Z' })
    const done = await app.create.comment({ on, by: ella, comment: 'Filled.', created_at: '2026-02-09T10:00:00Z' })
    await createChange({ on, from: null, to: 'Open', at: '2026-01-31T10:00:00Z', by: otto })
    await createChange({ on, from: 'Open', to: 'Acknowledged', at: '2026-02-02T10:00:00Z', by: ella, comment: seen })
    await createChange({ on, from: 'Acknowledged', to: 'Closed', at: '2026-02-09T10:00:00Z', by: ella, comment: done })
    await createChange({ on, from: 'Closed', to: 'Archived', at: '2026-02-16T10:00:00Z' })

    const words = await read(on)

    expect(/3 comments (.*) Log in or/.exec(words)?.[1]?.replaceAll(/ Flag(?= |$)/g, '')).toBe(
      'Otto Grant Feb 1, 2026, 5:00 AM EST It is deep. ' +
        'Ella Reyes Official acknowledged this Feb 2, 2026, 5:00 AM EST We come on Monday. ' +
        'Ella Reyes Official closed this Feb 9, 2026, 5:00 AM EST Filled. ' +
        'Archived It stayed closed for 7 days. Feb 16, 2026, 5:00 AM EST',
    )
  })

  it('does not name an anonymous reporter or the author of a rejected comment', async () => {
    const shy = await app.create.user({ name: 'Shy Reporter' })
    const rude = await app.create.user({ name: 'Rude Commenter' })
    const on = await app.create.issue({ reporter: shy, anonymous: true, status: 'Closed' })
    const comment = await app.create.comment({ on, by: rude, comment: 'Insult', moderation_state: 'rejected' })
    await createChange({ on, from: null, to: 'Open', at: '2026-01-01T10:00:00Z', by: shy })
    await createChange({ on, from: 'Open', to: 'Closed', at: '2026-01-02T10:00:00Z', by: rude, comment })

    const words = await read(on)

    expect(words).toContain('0 comments A user closed this Jan 2, 2026, 5:00 AM EST')
    expect(words).not.toMatch(/Shy Reporter|Rude Commenter|Insult/)
  })

  it('names the employee who undid a closing, which has no comment, where the organisation shows its people', async () => {
    const roads = await app.create.organization({ name: 'Roads' })
    const request_type = await app.create.requestType({ organization: roads })
    const ella = await app.create.user({ name: 'Ella Reyes', role: 'VerifiedOfficial', memberOf: [{ organization: roads }] })
    const on = await app.create.issue({ status: 'Open', request_type })
    await createChange({ on, from: 'Closed', to: 'Open', at: '2026-01-02T10:00:00Z', by: ella })

    expect(await read(on)).toContain('Ella Reyes Official · Roads opened this again Jan 2, 2026, 5:00 AM EST')
  })

  it('omits transitions older than the shown comments', async () => {
    const on = await app.create.issue({ status: 'Closed' })
    await app.db.execute(sql`
      INSERT INTO comments (issue_id, comment, created_at)
      SELECT ${on}, 'No. ' || n, timestamptz '2026-02-01' + n * interval '1 hour' FROM generate_series(1, 101) n`)
    await createChange({ on, from: 'Closed', to: 'Open', at: '2026-01-02T10:00:00Z' })
    await createChange({ on, from: 'Open', to: 'Closed', at: '2026-02-03T10:00:00Z' })

    const words = await read(on)

    expect(words).not.toContain('opened this again')
    expect(words).toMatch(/No\. 57 .*A user closed this Feb 3, 2026.*No\. 59/)
  })

  it('offers to flag the content of others only', async () => {
    const otto = await app.create.user({ name: 'Otto Grant' })
    const ella = await app.create.user({ name: 'Ella Reyes' })
    const on = await app.create.issue({ reporter: otto })
    const [own, other] = [await app.create.comment({ on, by: otto }), await app.create.comment({ on, by: ella })]

    const { text } = await (await createLoggedInBrowser(app, otto)).get(`/issues/${on}`)

    expect(text).toContain(`href="/comments/${other}/flag" aria-label="Flag this comment of Ella Reyes"`)
    expect(text).not.toContain(`/comments/${own}/flag`)
    expect(text).not.toContain(`/issues/${on}/flag`)
  })
})
