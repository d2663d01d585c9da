import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import type { TestUser } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { report, createModerationScenario } from './scenario.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp()
const { moderator, createPendingReport, runModerateJobs, findOpenItem, items, approve, reject } = createModerationScenario(app)

const notes = async (as: TestUser) => (await items(as)).map(({ note }) => note)
const newOne = (summary: string) => report({ answers: { summary } })
const entries = async () =>
  ((await app.as.anonymous.get('/issues')).body as { metadata: { pagination: { entries: number } } }).metadata.pagination.entries

describe('automatic check of links', () => {
  it.each([
    ['public administrations', 'https://www.denver.gov/a http://data.gouv.fr ciudad.gob.mx https://x.gov.uk/b europa.eu'],
    [
      'this service and YouTube',
      'http://fixpoint.test/issues/1 https://youtu.be/dQw4w9WgXcQ https://www.youtube.com/watch?v=dQw4w9WgXcQ',
    ],
  ])('approves links to %s', async (_, text) => {
    const ada = await app.create.user()
    await createPendingReport(ada, report({ answers: { summary: 'Look', description: text } }))

    await runModerateJobs()

    expect(await entries()).toBe(1)
  })

  it.each([
    ['gov.tk', 'https://city.gov.tk'],
    ['gov.example.com', 'https://gov.example.com/denver.gov'],
    ['go.it', 'https://casino.go.it'],
    ['notyoutube.com', 'https://notyoutube.com/watch'],
    ['a link with a disguised destination', 'https://denver.gov@example.com/'],
    ['a link with a disguised destination', 'https://denver.gov:80@example.com/'],
    ['a link with a disguised destination', 'ftp://denver.gov/a'],
    ['youtube.com, which may redirect elsewhere', 'https://www.youtube.com/redirect?q=https://evil.test'],
    ['youtube.com, which may redirect elsewhere', 'https://m.youtube.com/attribution_link?u=%2F%2Fevil.com'],
    ['youtube.com', 'https://youtube.com/redirect?id=1'],
    ['denver.gov, which may redirect elsewhere', 'https://denver.gov/leave?to=https%3A%2F%2Fevil.test'],
    ['denver.gov, which may redirect elsewhere', 'https://denver.gov/leave?to=%252F%252Fevil.test'],
    ['denver.gov, which may redirect elsewhere', 'https://denver.gov/leave/evil.com'],
    ['denver.gov, which may redirect elsewhere', 'https://denver.gov/%25252525252525252fa'],
    ['fixpoint.test, which may redirect elsewhere', 'http://fixpoint.test/login?return_to=//evil.test'],
  ])('does not approve a link to %s', async (named, text) => {
    const [ada, mia] = [await app.create.user(), await moderator()]
    await createPendingReport(ada, newOne(`See https://denver.gov and ${text}`))

    await runModerateJobs()

    const [note] = await notes(mia)
    expect(note).toContain('Links to hosts that no moderator has approved yet: ')
    expect(note).toContain(named)
  })

  it('approves many links only if all hosts are trusted, at most ten, not counting hosts that moderators approved', async () => {
    const [ada, mia] = [await app.create.user(), await moderator()]
    const known = (count: number) => Array.from({ length: count }, (_, n) => `https://denver.gov/${n}`).join(' ')
    const saying = (text: string) => report({ answers: { summary: 'Look', description: text } })
    await approve(mia, await findOpenItem('issue', await createPendingReport(ada, newOne('See https://example.org/a'))))
    await createPendingReport(ada, saying(known(10)))
    await createPendingReport(ada, saying(known(11)))
    await createPendingReport(ada, saying(`${known(2)} https://example.org/b`))
    await createPendingReport(ada, saying('https://denver.gov https://example.org/c'))

    await runModerateJobs()

    expect(await notes(mia)).toEqual([
      'It has 11 links, which is more than 10.',
      'More than 2 links, and not all hosts are trusted: example.org.',
    ])
    expect(await entries()).toBe(3)
  })

  it.each([
    'https://bit.ly/3xyz',
    'tinyurl.com/abc',
    'https://sites.google.com/view/a',
    'https://youtube.com/@city',
    'https://T.co/a',
  ])('never approves links to shared hosts such as %s', async (link) => {
    const [ada, mia] = [await app.create.user(), await moderator()]
    await approve(mia, await findOpenItem('issue', await createPendingReport(ada, newOne(`First ${link}`))))
    await createPendingReport(ada, newOne(`Second ${link}`))

    await runModerateJobs()

    expect(await notes(mia)).toHaveLength(1)
    expect(await queryRows(app.db, sql`SELECT h.host FROM moderation_hosts h`)).toEqual([])
  })

  it('never approves links that may redirect, even if a moderator approved the host', async () => {
    const [ada, mia] = [await app.create.user(), await moderator()]
    await approve(mia, await findOpenItem('issue', await createPendingReport(ada, newOne('See https://example.org/a'))))
    await createPendingReport(ada, newOne('See https://example.org/out?url=https://evil.test'))

    await runModerateJobs()

    expect(await notes(mia)).toEqual([
      'Links to hosts that no moderator has approved yet: example.org, which may redirect elsewhere.',
    ])
  })

  it('approves links to a host that a moderator approved, until a text with such a link is rejected', async () => {
    const [ada, mia] = [await app.create.user(), await moderator()]
    const leading = (what: string) => newOne(`${what} https://www.example.org/${what}`)
    await approve(mia, await findOpenItem('issue', await createPendingReport(ada, leading('first'))))
    await createPendingReport(ada, leading('second'))
    await runModerateJobs()
    expect([await items(mia), await entries()]).toEqual([[], 2])

    await reject(mia, await findOpenItem('issue', await createPendingReport(ada, leading('third'))))
    await createPendingReport(ada, leading('fourth'))
    await runModerateJobs()

    expect(await notes(mia)).toEqual(['Links to hosts that no moderator has approved yet: example.org.'])
  })

  it('does not trust hosts that a moderator removed from the text or that no moderator saw', async () => {
    const [ada, mia] = [await app.create.user(), await moderator()]
    await approve(mia, await findOpenItem('issue', await createPendingReport(ada, newOne('See https://example.org'))), {
      summary: 'See there',
    })
    await createPendingReport(ada, newOne('See https://denver.gov'))
    await runModerateJobs()

    expect(await queryRows(app.db, sql`SELECT h.host FROM moderation_hosts h`)).toEqual([])
  })
})
