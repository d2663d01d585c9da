import { describe, expect, test } from 'vitest'

import { testDatabaseUrl } from '../helpers/servers.ts'
import { killTest } from './kill-test.ts'
import { tableOf } from './outcome-table.ts'

/** The short form of `npm run test:kill`. It has servers of its own, and runs where the others run on servers. */
describe.each(testDatabaseUrl === undefined ? [] : ['redis' as const])('killed ten times with -9 while people write', (queue) => {
  test('the service loses nothing that it acknowledged, does nothing twice and tells everybody once', async () => {
    const outcome = await killTest({
      ...{ seed: 4, kills: 10, queue, pace: { from_ms: 100, to_ms: 500 }, wait_max_ms: 5_000 },
      ...{ writers: 6, people: 20, issues: 10, patient: false, settle_max_ms: 40_000, say: () => undefined },
    })

    expect(outcome.findings, `${tableOf(outcome)}\nlogs: ${outcome.folder}`).toEqual([])
    expect(outcome.told.filter(({ status }) => status === 201).length).toBeGreaterThan(20)
    expect(outcome.mails).toBeGreaterThan(0)
    expect(outcome.diary.kills).toHaveLength(10)
  }, 150_000)
})
