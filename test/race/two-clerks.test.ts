import { describe, expect, it } from 'vitest'

import { isLong } from '../helpers/long.ts'
import { useApp } from '../helpers/use-app.ts'

const app = useApp()
const ROUNDS = isLong ? 1_000 : 20

describe('PUT /issues/:id/priority by two clerks at once', () => {
  it('changes the issue once for each version, and names the change to the other clerk', async () => {
    const organization = await app.create.organization()
    const [ada, ben] = [
      await app.create.user({ memberOf: [{ organization }] }),
      await app.create.user({ memberOf: [{ organization }] }),
    ]
    const issue = await app.create.issue({ request_type: await app.create.requestType({ organization }) })
    const statuses: number[][] = []

    for (let round = 1; round <= ROUNDS; round++) {
      const change = (user: typeof ada, priority: number) =>
        app.as.user(user).send('PUT', `/api/v2/issues/${issue}/priority`, {
          body: { priority },
          headers: { 'if-match': `"${round}"` },
        })
      // Each clerk sets a priority that the issue does not have.
      const answers = await Promise.all([change(ada, round % 2 === 0 ? 0 : 2), change(ben, round % 2 === 0 ? 1 : 3)])
      statuses.push(answers.map(({ status }) => status).toSorted((a, b) => a - b))
    }

    const { version } = await app.db.prisma.issue.findUniqueOrThrow({ where: { id: issue } })
    const log = await app.db.prisma.issueLog.findMany({ where: { issue_id: issue }, orderBy: { version: 'asc' } })
    expect(statuses).toEqual(Array.from({ length: ROUNDS }, () => [200, 412]))
    expect(version).toBe(ROUNDS + 1)
    expect(log.map((entry) => entry.version)).toEqual(Array.from({ length: ROUNDS }, (_, index) => index + 2))
    // No update is lost: each change begins with what the one before it wrote.
    expect(log.slice(1).map(({ before }) => before)).toEqual(log.slice(0, -1).map(({ after }) => after))
  }, 600_000)
})
