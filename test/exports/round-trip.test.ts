import { describe, expect, it } from 'vitest'

import { importIssues } from '../../src/imports/import-issues.ts'
import { GREEN } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { resetDatabase } from '../helpers/database.ts'
import { writeTemporaryFile } from '../imports/files.ts'

const app = useApp()

/** Texts that CSV, spreadsheets or line ends could change. */
const texts = [
  ...['=1+1', '+1', '-1', '@SUM(A1)', '\tTab', '\rReturn', "'=quoted", "''=twice", "'plain apostrophe", "'", "'''"],
  ...['"quoted"', 'a, b', 'two\nlines', 'two\r\nlines', 'ends with CR\r', 'ends with LF\n', 'a\r\r\nb', '  spaces around  '],
  ...['NULL', '\\N', '0012', '1e5', 'é漢字🎉', '\u200B', '\uFEFFmark', '<b>&amp;</b>', ';', '# comment', 'id,summary', '""'],
]

describe('npm run import of an exported CSV', () => {
  it('restores the same values', async () => {
    for (const [n, summary] of texts.entries()) {
      const created_at = `2026-01-${String((n % 28) + 1).padStart(2, '0')}T01:02:03Z`
      const isAcknowledged = n % 2 === 0
      await app.create.issue({
        summary,
        description: texts[(n + 3) % texts.length] ?? null,
        address: n % 3 === 0 ? null : (texts[(n + 7) % texts.length] ?? null),
        at: { lng: GREEN.lng + n / 7, lat: GREEN.lat - n / 11 },
        base_rating: n + 1,
        created_at,
        ...(isAcknowledged ? { status: 'Acknowledged', acknowledged_at: '2026-02-01T00:00:00Z' } : {}),
      })
    }
    const exported = await app.as.anonymous.send('GET', '/exports/issues.csv')
    const path = writeTemporaryFile('exported.csv', exported.text)
    await resetDatabase(app.db)

    const report = await importIssues(app.db, { path })
    const again = await app.as.anonymous.send('GET', '/exports/issues.csv')

    expect(report).toMatchObject({ imported: texts.length })
    expect(again.text).toBe(exported.text)
  })

  it('keeps apostrophes of GeoJSON, where nothing was added', async () => {
    await app.create.issue({ summary: "'=quoted" })
    const exported = await app.as.anonymous.send('GET', '/exports/issues.geojsonl')
    const path = writeTemporaryFile('exported.geojsonl', exported.text)
    await resetDatabase(app.db)

    await importIssues(app.db, { path })

    expect((await app.as.anonymous.send('GET', '/exports/issues.geojsonl')).text).toBe(exported.text)
  })
})
