import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

import { importIssues } from '../../src/imports/import-issues.ts'
import { GREEN, type IssueInput } from '../helpers/factories.ts'
import { resetDatabase } from '../helpers/database.ts'
import { useApp } from '../helpers/use-app.ts'
import { writeTemporaryFile } from '../imports/files.ts'

const app = useApp()

/** Texts that CSV, spreadsheets or line ends could change. */
const texts = [
  ...['=1+1', '+1', '-1', '@SUM(A1)', '\tTab', '\rReturn', '\nLine feed', "'=quoted", "''=twice", "'plain apostrophe", "'", "'''"],
  ...['\uFF1D1', '\uFF0B1', '\uFF0D1', '\uFF20A1', "'\uFF1Dquoted", "'\n", '"=1"'],
  ...['"quoted"', 'a, b', 'two\nlines', 'two\r\nlines', 'ends with CR\r', 'ends with LF\n', 'a\r\r\nb', '  spaces around  '],
  ...['a;=1', "a;'=1", 'a;"@b"', 'a\t+1', 'list\n- one\n- two', "list\r\n''-"],
  ...['NULL', '\\N', '0012', '1e5', 'é漢字🎉', '\u200B', '\uFEFFmark', '<b>&amp;</b>', ';', '# comment', 'id,summary', '""'],
]

/** Creates what issues refer to, with the same ids in every empty database. */
async function createReferences() {
  const organization = await app.create.organization({ name: '=Works' })
  const pothole = await app.create.requestType({ title: 'Pothole', organization })
  const community = await app.create.requestType({ title: '+Tree' })
  const [ada, ben, employee] = [
    await app.create.user({ name: '@Ada' }),
    await app.create.user({ name: 'Ben Stone' }),
    await app.create.user({ name: 'Cleo Park', memberOf: [{ organization }] }),
  ]
  await app.create.place({ url_name: 'green', around: GREEN, size: 2 })
  return { pothole, community, ada, ben, employee }
}

function describeIssue(
  n: number,
  { pothole, community, ada, ben, employee }: Awaited<ReturnType<typeof createReferences>>,
): IssueInput {
  const day = (month: number) => `2026-${String(month).padStart(2, '0')}-${String((n % 28) + 1).padStart(2, '0')}T01:02:03.456Z`
  const options: readonly IssueInput[] = [
    { status: 'Acknowledged', acknowledged_at: day(2), request_type: pothole, category: 'pothole', reporter: ada },
    {
      status: 'Closed',
      outcome: 'not_ours',
      closed_at: day(3),
      reopened_at: day(4),
      request_type: community,
      category: 'tree',
      assignee: employee,
    },
    { status: 'Archived', acknowledged_at: day(2), closed_at: day(3), category: 'graffiti', reporter: ben, anonymous: true },
    { video_url: 'https://www.youtube.com/watch?v=abcdefghijk&t=1,2', reporter: employee, updated_at: day(5) },
  ]
  return {
    id: 10_000 - 7 * n,
    summary: texts[n % texts.length] ?? '',
    description: texts[(n + 3) % texts.length] ?? null,
    address: n % 3 === 0 ? null : (texts[(n + 7) % texts.length] ?? null),
    at: { lng: GREEN.lng + n / 7, lat: GREEN.lat - n / 11 },
    base_rating: n + 1,
    source: 'api',
    created_at: day(1),
    ...options[n % options.length],
  }
}

async function createIssues(): Promise<number> {
  const references = await createReferences()
  const count = texts.length + 3
  for (let n = 0; n < count; n++) await app.create.issue(describeIssue(n, references))
  return count
}

const exportIssues = async (format: string, client = app.as.anonymous) =>
  (await client.send('GET', `/exports/issues.${format}?status=open,acknowledged,closed,archived`)).text

describe('npm run import of an exported file', () => {
  it.each(['csv', 'geojsonl', 'geojson'])('restores the same values from %s, so that the next export is equal', async (format) => {
    const count = await createIssues()
    const exported = await exportIssues(format)
    const path = writeTemporaryFile(`exported.${format}`, exported)
    await resetDatabase(app.db)
    await createReferences()

    const report = await importIssues(app.db, { path })

    expect(report).toMatchObject({ imported: count, rejected: 0, ignoredColumns: [], newIds: { count: 0 } })
    expect(await exportIssues(format)).toBe(exported)
  })

  it('changes nothing for a second time, and reports a foreign column', async () => {
    const count = await createIssues()
    const lines = await exportIssues('csv')
    const path = writeTemporaryFile('exported.csv', lines.replace('id,status', 'id,state'))
    await resetDatabase(app.db)
    await createReferences()
    await importIssues(app.db, { path })

    const again = await importIssues(app.db, { path })

    expect(again).toMatchObject({ imported: 0, unchanged: count, ignoredColumns: ['state'] })
  })

  it('takes files of earlier versions, whose rows have licence and attribution, and files with a byte order mark', async () => {
    await app.create.issue({ summary: 'Hole' })
    const [header = '', row = ''] = (await exportIssues('csv')).split('\r\n')
    const old = writeTemporaryFile(
      'old.csv',
      `\uFEFF${header},licence,attribution\r\n${row},"CC, https://x.org/","Us, https://y.org/"\r\n`,
    )
    await resetDatabase(app.db)

    const report = await importIssues(app.db, { path: old })

    expect(report).toMatchObject({ imported: 1, rejected: 0, ignoredColumns: [] })
  })

  it('keeps anonymous reports anonymous, also in a file of an employee who knows the reporters', async () => {
    const { pothole, ada, employee } = await createReferences()
    await app.create.issue({ request_type: pothole, reporter: ada, anonymous: true })
    const path = writeTemporaryFile('exported.csv', await exportIssues('csv', app.as.user(employee)))
    await resetDatabase(app.db)
    await createReferences()

    await importIssues(app.db, { path })

    expect(await exportIssues('csv')).toContain(',An anonymous user,')
  })

  it('rejects issues of unknown request types, and says what to do', async () => {
    const { pothole } = await createReferences()
    await app.create.issue({ request_type: pothole })
    const path = writeTemporaryFile('exported.csv', await exportIssues('csv'))
    await resetDatabase(app.db)

    const report = await importIssues(app.db, { path })

    expect(report).toMatchObject({ imported: 0, rejected: 1, rejectedFile: `${path}.rejected.csv` })
    expect(readFileSync(`${path}.rejected.csv`, 'utf8')).toContain(
      `request_type_id ${pothole} does not exist: import the organisations with their request types first (npm run import -- organizations FILE, see docs/import.md)`,
    )
  })
})
