import { describe, expect, it } from 'vitest'

import { testDatabaseUrl } from '../helpers/servers.ts'
import { isDuplicateExplained } from './check-mails.ts'
import { killTest } from './kill-test.ts'
import { formatOutcome } from './format-outcome.ts'
import { createPlan } from './plan.ts'

const PACE = { from_ms: 100, to_ms: 500 }

/** The short form of `npm run test:kill`. */
describe.runIf(testDatabaseUrl !== undefined)(
  'service with a SIGKILL of each part and of all during writes (needs servers)',
  () => {
    it('loses no confirmed write, repeats no delivery, sends each mail once and forwards each issue once', async () => {
      const outcome = await killTest({
        ...{ seed: 213, kills: 5, queue: 'redis', pace: PACE, wait_max_ms: 5_000 },
        ...{ writers: 6, people: 20, issues: 10, waitsForLeases: false, settle_max_ms: 40_000, say: () => undefined },
      })

      expect(outcome.findings, `${formatOutcome(outcome)}\nlogs: ${outcome.folder}`).toEqual([])
      expect(outcome.confirmed.filter(({ status }) => status === 201).length).toBeGreaterThan(20)
      expect(outcome.mails).toBeGreaterThan(0)
      expect(outcome.forwarded).toBeGreaterThan(0)
      expect(outcome.runLog.kills.map(({ kind }) => kind)).toEqual(['worker', 'web', 'postgres', 'redis', 'all'])
    })
  },
)

describe('kill test', () => {
  it('plans the same kills for the same seed, and kills everything at the end', () => {
    const [plan, again, other] = [7, 7, 8].map((seed) => createPlan(seed, 100, true, PACE))

    expect(again).toEqual(plan)
    expect(other).not.toEqual(plan)
    expect(plan?.at(-1)?.kind).toBe('all')
    expect(new Set(plan?.map(({ kind }) => kind))).toEqual(new Set(['web', 'worker', 'redis', 'postgres', 'all']))
  })

  const AT = 1_000_000
  it.each([
    { what: 'the mail server closed the connection', acknowledged: false, died: undefined, outages: [], explained: true },
    { what: 'its sender died at once', acknowledged: true, died: AT + 50, outages: [], explained: true },
    { what: 'its sender died a minute later', acknowledged: true, died: AT + 60_000, outages: [], explained: false },
    { what: 'its sender lives', acknowledged: true, died: undefined, outages: [], explained: false },
    {
      what: 'its sender died during an outage of the database',
      ...{ acknowledged: true, died: AT + 9_000, outages: [{ from: AT + 100, to: AT + 8_000 }], explained: true },
    },
    {
      what: 'its sender lives after an outage of the database',
      ...{ acknowledged: true, died: undefined, outages: [{ from: AT + 100, to: AT + 8_000 }], explained: false },
    },
  ])('returns $explained for a repeated mail if $what', ({ acknowledged, died, outages, explained }) => {
    const deaths = new Map(died === undefined ? [] : [['worker-1.3', died]])
    const copy = { messageId: 'one@example.org', to: 'ada@example.org', from: 'worker-1.3', at: AT, acknowledged }

    expect(isDuplicateExplained(copy, { kills: [], flushes: 0, deaths, outages })).toBe(explained)
  })
})
