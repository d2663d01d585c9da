import sharp from 'sharp'
import { describe, expect, it } from 'vitest'

import { seedDemo } from '../../prisma/seeds/demo/demo.ts'
import { sql } from '../../src/database/database.ts'
import { findMissingImages } from '../../src/media/missing-images.ts'
import { openFileStore } from '../../src/storage/open-file-store.ts'
import { openTestDatabase } from '../helpers/database.ts'
import { queryRows } from '../helpers/query-rows.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'

describe('pictures of the demo', { timeout: 400_000 }, () => {
  const now = new Date('2026-03-10T15:00:00Z')

  it('belong to public issues of fitting categories, and their files are in the store in the stated sizes', async () => {
    const dataDir = createTemporaryFolder()
    const files = await openFileStore({ dataDir, s3Url: undefined })
    const database = await openTestDatabase()

    await seedDemo(database, { now, issuesPerCity: 120, files, say: () => {} })

    const rows = await queryRows<{ category: string; is_public: boolean; full: string; square: string; bytes: number }>(
      database,
      sql`
      SELECT i.category, i.moderation_state = 'passed' AS is_public, m.full_key AS full, m.square_key AS square, m.bytes
      FROM media m JOIN issues i ON i.id = m.issue_id WHERE m.width = 640 AND m.height = 480 ORDER BY m.id`,
    )
    const [solved] = await queryRows(
      database,
      sql`
      SELECT count(*)::integer AS pictures, count(*) FILTER (WHERE c.outcome = 'fixed' AND EXISTS (
        SELECT FROM media before WHERE before.issue_id = m.issue_id AND before.comment_id IS NULL))::integer AS before_and_after
      FROM media m JOIN status_changes c ON c.comment_id = m.comment_id`,
    )
    const { missing } = await findMissingImages(database, files)
    const [first] = rows
    const [full, square] = await Promise.all([first?.full, first?.square].map((key) => sharp(`${dataDir}/files/${key}`).metadata()))
    await database.close()
    expect(rows.length).toBeGreaterThan(20)
    // Redaction replaces and deletes the files of one picture.
    expect(new Set(rows.flatMap((row) => [row.full, row.square])).size).toBe(2 * rows.length)
    expect(rows.filter(({ is_public }) => !is_public)).toEqual([])
    expect(rows.filter(({ category }) => ['noise', 'parking', 'park', 'snow', 'other'].includes(category))).toEqual([])
    expect(missing).toEqual([])
    expect(Number(solved?.['pictures'])).toBeGreaterThan(2)
    expect(solved?.['before_and_after']).toBe(solved?.['pictures'])
    expect(full).toMatchObject({ format: 'jpeg', width: 640, height: 480 })
    expect(square).toMatchObject({ format: 'jpeg', width: 100, height: 100 })
  })

  it('are left out if they cannot be stored', async () => {
    const lines: string[] = []
    const files = await openFileStore({ dataDir: '/dev/null', s3Url: undefined })
    const database = await openTestDatabase()

    await seedDemo(database, { now, issuesPerCity: 20, files, say: (line) => lines.push(line) })

    const [found] = await queryRows(
      database,
      sql`SELECT (SELECT count(*) FROM issues) AS issues, (SELECT count(*) FROM media) AS pictures`,
    )
    await database.close()
    expect(found).toEqual({ issues: 160, pictures: 0 })
    expect(lines).toContain('The demo has no pictures: The file store could not store a file.')
  })
})
