import { describe, expect, it } from 'vitest'

import { IdRow, sql } from '../../src/database/database.ts'
import { isLate, lateKinds, describeTarget } from '../../src/staff/targets/conditions.ts'
import { setTarget } from '../helpers/set-target.ts'
import { useApp } from '../helpers/use-app.ts'

const now = new Date('2026-11-25T12:00:00Z')
const hours = (count: number) => new Date(now.getTime() + count * 3_600_000)

describe('isLate', () => {
  const app = useApp()

  interface Input {
    readonly status?: 'Open' | 'Acknowledged' | 'Closed'
    readonly acknowledged?: boolean
    /** Hours from now. */
    readonly acknowledge?: number
    readonly close?: number
    readonly paused?: number
  }

  it.each<[string, Input, string[]]>([
    ['an open issue that was not acknowledged in time', { acknowledge: -1, close: 48 }, ['acknowledge']],
    ['an open issue that is late for both', { acknowledge: -48, close: -1 }, ['acknowledge', 'close']],
    ['an acknowledged issue that is late to close', { status: 'Acknowledged', acknowledge: -48, close: -1 }, ['close']],
    ['an open issue that is due soon', { acknowledge: 23, close: 48 }, ['soon']],
    ['an acknowledged issue that is due soon', { status: 'Acknowledged', acknowledge: -48, close: 23 }, ['soon']],
    ['an issue that is due later', { acknowledge: 25, close: 48 }, []],
    ['an issue due at this time', { close: 0 }, ['soon']],
    ['a closed issue', { status: 'Closed', acknowledge: -48, close: -1 }, []],
    ['an issue that was acknowledged, closed and reopened', { acknowledged: true, acknowledge: -48, close: 48 }, []],
    ['a paused issue that would be late', { close: -1, paused: -2 }, []],
    ['a paused issue that would be due soon', { close: 1, paused: -2 }, []],
    ['an issue that was late before its pause', { close: -3, paused: -2 }, ['close']],
    ['an issue without a target', {}, []],
  ])('names what is late about %s', async (_, { status = 'Open', acknowledged = false, acknowledge, close, paused }, expected) => {
    const acknowledged_at = acknowledged || status === 'Acknowledged' ? '2026-11-01T00:00:00Z' : null
    const issue_id = await app.create.issue({ status, acknowledged_at })
    const at = (count: number | undefined) => (count === undefined ? null : hours(count))
    const target = { started_at: hours(-100), acknowledge_by: at(acknowledge), close_by: at(close), paused_at: at(paused) }
    await setTarget(app.db, issue_id, target)

    const found = await Promise.all(
      lateKinds.map(async (kind) =>
        (await app.db.query(sql.type(IdRow)`SELECT i.id FROM issues i WHERE ${isLate(kind, now)}`)).length > 0 ? [kind] : [],
      ),
    )

    expect(found.flat()).toEqual(expected)
  })
})

describe('copyDueTimes', () => {
  const app = useApp()

  it('follows the status of an issue and its target', async () => {
    const id = await app.create.issue()
    const target = { started_at: hours(-100), acknowledge_by: hours(-2), close_by: hours(-1) }
    const listLate = async () => {
      const conditions = lateKinds.map((kind) => sql.type(IdRow)`SELECT i.id FROM issues i WHERE ${isLate(kind, now)}`)
      return (await Promise.all(conditions.map((statement) => app.db.query(statement)))).map((rows) => rows.length)
    }
    const setIssue = (data: object) => app.db.prisma.issue.update({ where: { id }, data })
    const steps: readonly (() => PromiseLike<unknown>)[] = [
      () => setTarget(app.db, id, target),
      () => setIssue({ status: 'Acknowledged', acknowledged_at: hours(0) }),
      () => setIssue({ status: 'Closed' }),
      () => setIssue({ status: 'Open' }),
      () => setTarget(app.db, id, { close_by: hours(1) }),
      () => setTarget(app.db, id, { paused_at: hours(0) }),
      () => setTarget(app.db, id, null),
    ]

    const late: number[][] = []
    for (const step of steps) {
      await step()
      late.push(await listLate())
    }

    // Late to be acknowledged, to be closed, and soon.
    expect(late).toEqual([
      ...[
        [1, 1, 0],
        [0, 1, 0],
        [0, 0, 0],
        [0, 1, 0],
      ],
      ...[
        [0, 0, 1],
        [0, 0, 0],
        [0, 0, 0],
      ],
    ])
  })
})

describe('describeTarget', () => {
  it.each([
    [3, 'close', null, 'soon', 'close in 3 hours'],
    [72, 'acknowledge', null, 'due', 'acknowledge in 3 days'],
    [-50, 'acknowledge', null, 'late', '2 days late to acknowledge'],
    [-1, 'close', -2, 'paused', 'paused'],
    [-3, 'close', -2, 'late', '1 hour late to close'],
  ] as const)('writes a target %d hours away to %s', (left, due, paused, state, words) => {
    const paused_at = paused === null ? null : hours(paused).toISOString()
    expect(describeTarget({ due_at: hours(left).toISOString(), due, paused_at }, now, 'en')).toEqual({ state, words })
  })
})
