import { describe, expect, it } from 'vitest'

import { computeTargets } from '../../jobs/handlers/batch-jobs.ts'
import { deliver } from '../../jobs/handlers/deliver.ts'
import { sql } from '../../src/database/database.ts'
import { scheduleTargets, updateTargets } from '../../src/staff/targets/update-targets.ts'
import { GREEN, type TestUser } from '../helpers/factories.ts'
import { queryRows } from '../helpers/query-rows.ts'
import { useApp } from '../helpers/use-app.ts'
import { createMailbox, createNotifier } from '../notifications/notifier.ts'

const never = new AbortController().signal
const office = [{ from: '08:00', to: '16:00' }]
const weekly_hours = { monday: office, tuesday: office, wednesday: office, thursday: office, friday: office }

describe('targets', () => {
  const app = useApp()

  async function createRule(
    rule: { acknowledge_hours?: number; close_hours?: number; withCalendar?: boolean; forAllTypes?: boolean } = {},
  ) {
    const { acknowledge_hours = 4, close_hours = 16, withCalendar = true, forAllTypes = false } = rule
    const organization_id = await app.create.organization()
    const type = await app.create.requestType({ organization: organization_id })
    const calendar = withCalendar
      ? await app.db.prisma.calendar.create({
          data: { organization_id, name: 'Office', time_zone: 'America/New_York', weekly_hours },
        })
      : null
    const data = {
      organization_id,
      request_type_id: forAllTypes ? null : type,
      acknowledge_hours,
      close_hours,
      calendar_id: calendar?.id ?? null,
    }
    const { id } = await app.db.prisma.targetRule.create({ data })
    return { organization_id, type, id }
  }

  const findTarget = (issue_id: number) =>
    app.db.prisma.issueTarget.findUnique({ where: { issue_id }, omit: { issue_id: true, updated_at: true } })

  const update = (...input: [ids: number[], restartAt?: Date]) => app.db.transaction((tx) => updateTargets(tx, ...input))

  async function deliverTargets() {
    const pending = await queryRows<{ event_id: number }>(
      app.db,
      sql`SELECT d.event_id FROM outbox_deliveries d WHERE d.handler = 'set-target' AND d.delivered_at IS NULL ORDER BY d.event_id`,
    )
    const { services } = createNotifier(app.db, createMailbox().mailer)
    for (const { event_id } of pending) await deliver({ event_id, handler: 'set-target' }, services, never)
    return pending.length
  }

  const report = async (by: TestUser, type: number) => {
    const body = { ...GREEN, request_type_id: type, address: '250 Church St', answers: { summary: 'Broken bench' } }
    const created = await app.as.user(by).send('POST', '/api/v2/issues', { body })
    expect(created.status).toBe(201)
    return (created.body as { id: number }).id
  }

  it('is set once for a new report, from its publication', async () => {
    const { type } = await createRule({ withCalendar: false })
    const id = await report(await app.create.user(), type)

    expect(await findTarget(id)).toBeNull()
    expect(await deliverTargets()).toBe(1)
    expect(await deliverTargets()).toBe(0)

    const { created_at, acknowledge_due, close_due } = await app.db.prisma.issue.findUniqueOrThrow({ where: { id } })
    expect(await findTarget(id)).toMatchObject({ acknowledge_by: acknowledge_due, close_by: close_due })
    expect(await findTarget(id)).toEqual({
      started_at: created_at,
      acknowledge_by: new Date(created_at.getTime() + 4 * 3_600_000),
      close_by: new Date(created_at.getTime() + 16 * 3_600_000),
      paused_at: null,
      paused_seconds: 0,
      reason: null,
      is_manual: false,
    })
  })

  it('costs no delivery while there are no rules', async () => {
    const type = await app.create.requestType({ organization: await app.create.organization() })
    await report(await app.create.user(), type)

    expect(await deliverTargets()).toBe(0)
  })

  it('counts the working hours of the calendar', async () => {
    const { type } = await createRule()
    // A Friday at 15:00 in New York.
    const id = await app.create.issue({ request_type: type, created_at: '2026-11-20T20:00:00Z' })

    await update([id])

    const target = await findTarget(id)
    expect(target?.acknowledge_by).toEqual(new Date('2026-11-23T11:00:00-05:00'))
    expect(target?.close_by).toEqual(new Date('2026-11-24T15:00:00-05:00'))
  })

  it('comes from the rule of the type before that of all types', async () => {
    const { organization_id, type } = await createRule({ close_hours: 10, withCalendar: false })
    await app.db.prisma.targetRule.create({ data: { organization_id, close_hours: 99 } })
    const other = await app.create.requestType({ organization: organization_id })
    const ids = [
      await app.create.issue({ request_type: type }),
      await app.create.issue({ request_type: other }),
      await app.create.issue(),
    ]

    await update(ids)

    const targets = await Promise.all(ids.map(findTarget))
    expect(targets.map((target) => target?.close_by?.toISOString())).toEqual([
      '2026-01-01T10:00:00.000Z',
      '2026-01-05T03:00:00.000Z',
      undefined,
    ])
  })

  it('starts again when the issue is reopened, and keeps the time to acknowledge of one that was acknowledged', async () => {
    const { type } = await createRule({ withCalendar: false })
    const id = await app.create.issue({ request_type: type, acknowledged_at: '2026-01-01T01:00:00Z' })
    await update([id])
    await app.db.prisma.issueTarget.update({
      where: { issue_id: id },
      data: { paused_seconds: 60, reason: 'Parts', is_manual: true },
    })
    await app.db.prisma.issue.update({ where: { id }, data: { reopened_at: new Date('2026-01-03T00:00:00Z') } })

    await update([id])

    expect(await findTarget(id)).toMatchObject({
      acknowledge_by: new Date('2026-01-01T04:00:00Z'),
      close_by: new Date('2026-01-03T16:00:00Z'),
      paused_seconds: 0,
      reason: null,
      is_manual: false,
    })
  })

  it('follows a new type, and ends with a type without a rule', async () => {
    const { organization_id, type } = await createRule({ withCalendar: false })
    const slow = await app.create.requestType({ organization: organization_id })
    await app.db.prisma.targetRule.create({ data: { organization_id, request_type_id: slow, close_hours: 48 } })
    const id = await app.create.issue({ request_type: type })
    await update([id])

    await app.db.prisma.issue.update({ where: { id }, data: { request_type_id: slow } })
    await update([id])
    expect(await findTarget(id)).toMatchObject({ acknowledge_by: null, close_by: new Date('2026-01-03T00:00:00Z') })

    await update([id], new Date('2026-01-02T00:00:00Z'))
    expect(await findTarget(id)).toMatchObject({ close_by: new Date('2026-01-04T00:00:00Z') })

    await app.db.prisma.issue.update({ where: { id }, data: { request_type_id: await app.create.requestType() } })
    await update([id])
    expect(await findTarget(id)).toBeNull()
  })

  it('of open issues follows a changed rule, but not what staff have set', async () => {
    const { organization_id, type, id: rule } = await createRule({ withCalendar: false })
    const [open, paused, manual, closed] = [
      await app.create.issue({ request_type: type }),
      await app.create.issue({ request_type: type, status: 'Acknowledged' }),
      await app.create.issue({ request_type: type }),
      await app.create.issue({ request_type: type, status: 'Closed' }),
    ]
    await update([open, paused, manual, closed])
    const change = (issue_id: number, data: object) => app.db.prisma.issueTarget.update({ where: { issue_id }, data })
    await change(paused, { paused_seconds: 3_600 })
    await change(manual, { close_by: new Date('2026-02-01T00:00:00Z'), is_manual: true })

    const now = new Date('2026-01-01T12:00:00Z')
    await app.db.prisma.targetRule.update({ where: { id: rule }, data: { close_hours: 20 } })
    await app.db.transaction((tx) => scheduleTargets(tx, organization_id, now))
    await computeTargets({}, { db: app.db, clock: () => now })
    expect((await findTarget(open))?.close_by).toEqual(new Date('2026-01-01T16:00:00Z'))
    await computeTargets({}, { db: app.db, clock: () => new Date(now.getTime() + 60_000) })

    const targets = await Promise.all([open, paused, manual, closed].map(findTarget))
    expect(targets.map((target) => target?.close_by?.toISOString())).toEqual([
      '2026-01-01T20:00:00.000Z',
      '2026-01-01T21:00:00.000Z',
      '2026-02-01T00:00:00.000Z',
      '2026-01-01T16:00:00.000Z',
    ])
    expect(await app.db.prisma.targetRecomputation.count()).toBe(0)
  })
})
