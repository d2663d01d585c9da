import { describe, expect, it } from 'vitest'

import { useApp } from '../helpers/use-app.ts'

const app = useApp()

async function createIssues(count: number, created_at: string): Promise<void> {
  for (let n = 0; n < count; n++) await app.create.issue({ created_at })
}

describe('the open issues of GET /statistics', () => {
  it('leaves out what was open between the intervals that are left out only', async () => {
    await createIssues(50, '2025-12-05T00:00:00Z')
    await createIssues(10, '2026-01-05T00:00:00Z')
    await createIssues(3, '2026-02-05T00:00:00Z')
    await createIssues(6, '2026-03-05T00:00:00Z')
    await createIssues(20, '2026-04-05T00:00:00Z')

    const { body } = await app.as.anonymous.get('/statistics?from=2026-01-01&until=2026-04-30')

    expect(body).toMatchObject({
      total: { reported: 39, open_at_start: 50, open_at_end: 89 },
      intervals: [
        { reported: 10, open_at_end: 60 },
        { reported: null, open_at_end: null },
        { reported: null, open_at_end: 69 },
        { reported: 20, open_at_end: 89 },
      ],
    })
  })
})
