import { beforeEach, describe, expect, it } from 'vitest'

import type { StaffIssue } from '../../src/staff/schema.ts'
import { updateTargets } from '../../src/staff/targets/update-targets.ts'
import type { TestUser } from '../helpers/factories.ts'
import { createLoggedInBrowser } from '../helpers/logged-in-browser.ts'
import { useApp } from '../helpers/use-app.ts'

const app = useApp()
let issue = 0
let [roads, potholes] = [0, 0]
let employee: TestUser

const HOUR_MS = 3_600_000

beforeEach(async () => {
  roads = await app.create.organization({ name: 'Roads' })
  potholes = await app.create.requestType({ organization: roads })
  await app.db.prisma.targetRule.create({ data: { organization_id: roads, acknowledge_hours: 24, close_hours: 48 } })
  employee = await app.create.user({ memberOf: [{ organization: roads }] })
  issue = await app.create.issue({ request_type: potholes, created_at: new Date(Date.now() - HOUR_MS).toISOString() })
  await app.db.transaction((tx) => updateTargets(tx, [issue]))
})

const change = (body: object, version = '*') =>
  app.as.user(employee).send('PUT', `/api/v2/issues/${issue}/target`, { body, headers: { 'if-match': version } })
const staffIssue = async () => (await app.as.user(employee).get(`/issues/${issue}/work`)).body as StaffIssue
const stored = () => app.db.prisma.issueTarget.findUniqueOrThrow({ where: { issue_id: issue } })

describe('PUT /issues/:id/target', () => {
  it('pauses the clock, and moves the times by the length of the pause', async () => {
    const before = await stored()
    const paused = await change({ paused: true, reason: ' Waiting for a part. ' })
    expect(paused).toMatchObject({
      status: 200,
      body: { version: 2, target: { paused_at: expect.any(String) as string, reason: 'Waiting for a part.', is_manual: false } },
    })
    await app.db.prisma.issueTarget.update({
      where: { issue_id: issue },
      data: { paused_at: new Date(before.started_at.getTime() + HOUR_MS / 2) },
    })

    // A paused issue is not late before it goes on.
    expect((await app.db.prisma.issue.findUniqueOrThrow({ where: { id: issue } })).close_due?.getUTCFullYear()).toBe(9999)
    const resumed = await change({ paused: false })

    expect(resumed).toMatchObject({ status: 200, body: { version: 3, target: { paused_at: null, reason: null } } })
    const { acknowledge_by, close_by, paused_seconds } = await stored()
    expect(paused_seconds).toBeGreaterThanOrEqual(1_800)
    expect(paused_seconds).toBeLessThan(1_900)
    const moved = [
      [acknowledge_by, before.acknowledge_by],
      [close_by, before.close_by],
    ].map(([after, former]) => Math.round(((after?.getTime() ?? 0) - (former?.getTime() ?? 0)) / 1_000))
    expect(moved.every((seconds) => Math.abs(seconds - paused_seconds) <= 1)).toBe(true)
    const { log } = await staffIssue()
    expect(log.map(({ kind, after }) => [kind, (after as { paused: boolean }).paused])).toEqual([
      ['target', false],
      ['target', true],
    ])
  })

  it('sets times by hand, which a changed rule does not move and a new type of the organisation keeps', async () => {
    const set = await change({ close_by: '2031-07-13T11:17:19Z', reason: 'Agreed with the resident.' })
    expect(set).toMatchObject({
      status: 200,
      body: { target: { close_by: '2031-07-13T11:17:19Z', is_manual: true, reason: 'Agreed with the resident.' } },
    })

    const lights = await app.create.requestType({ organization: roads })
    await app.as
      .user(employee)
      .send('PUT', `/api/v2/issues/${issue}/type`, { body: { request_type_id: lights }, headers: { 'if-match': '*' } })

    expect((await staffIssue()).target).toMatchObject({
      close_by: '2031-07-13T11:17:19Z',
      acknowledge_by: expect.any(String) as string,
    })
  })

  it('follows a new type of the issue at once', async () => {
    const lights = await app.create.requestType({ organization: roads })
    await app.db.prisma.targetRule.create({ data: { organization_id: roads, request_type_id: lights, close_hours: 1_000 } })
    const { started_at } = await stored()

    await app.as
      .user(employee)
      .send('PUT', `/api/v2/issues/${issue}/type`, { body: { request_type_id: lights }, headers: { 'if-match': '*' } })

    expect(await stored()).toMatchObject({ acknowledge_by: null, close_by: new Date(started_at.getTime() + 1_000 * HOUR_MS) })
  })

  it('changes nothing if the clock is in that state already', async () => {
    expect(await change({ paused: false })).toMatchObject({ status: 200, body: { version: 1 } })
    await change({ paused: true, reason: 'Snow.' })
    expect(await change({ paused: true, reason: 'Snow.' })).toMatchObject({ status: 200, body: { version: 2 } })
  })

  it.each([
    ['base', {}],
    ['reason', { paused: true }],
    ['reason', { close_by: null }],
    ['paused', { paused: true, close_by: null, reason: 'Both.' }],
    ['close_by', { close_by: 'tomorrow', reason: 'Soon.' }],
  ])('refuses with an error at %s', async (field, body) => {
    const refused = await change(body)

    expect([refused.status, Object.keys(refused.body as object)]).toEqual([422, [field]])
  })

  it('refuses an old version, a closed issue, and a pause without a target', async () => {
    await change({ paused: true, reason: 'Snow.' }, '"1"')
    expect(await change({ paused: false }, '"1"')).toMatchObject({
      status: 412,
      body: { version: 2, changes: [{ kind: 'target' }] },
    })

    await app.db.prisma.issueTarget.deleteMany()
    expect(await change({ paused: true, reason: 'Snow.' })).toMatchObject({
      status: 422,
      body: { base: expect.any(String) as string },
    })

    await app.db.prisma.issue.update({ where: { id: issue }, data: { status: 'Closed', closed_at: new Date() } })
    expect(await change({ close_by: null, reason: 'Done.' })).toMatchObject({
      status: 422,
      body: { base: expect.any(String) as string },
    })
  })
})

describe('the staff side of an issue page', () => {
  it('shows the target, pauses and resumes it with a reason, and says so in the log', async () => {
    const browser = await createLoggedInBrowser(app, employee)
    const page = await browser.get(`/issues/${issue}`)
    expect(page.visibleText).toMatch(/Target acknowledge in 2[23] hours Acknowledge by .* Close by .* Why is the clock paused\?/)

    const missing = await browser.post(`/issues/${issue}/target`, { version: '1', paused: 'true', target_reason: ' ' })
    expect(missing.status).toBe(422)
    expect(missing.visibleText).toContain('text of 1 to 1,000 characters')
    const paused = await browser.post(`/issues/${issue}/target`, {
      version: '1',
      paused: 'true',
      target_reason: 'Waiting for a part.',
    })
    expect(paused.headers['location']).toBe(`/issues/${issue}#staff`)
    const later = (await browser.get(`/issues/${issue}`)).visibleText
    expect(later).toContain('Target paused Waiting for a part.')
    // The log has the times of the target, in the time zone of the place.
    const [, time = 'none'] = /Acknowledge by (.*?) Close by/.exec(page.visibleText) ?? []
    expect(later).toMatch(/Target: acknowledge by .* → paused: Waiting for a part\./)
    expect(later).toContain(`Target: acknowledge by ${time}, close by`)

    await browser.post(`/issues/${issue}/target`, { version: '2', paused: 'false' })
    expect((await stored()).paused_at).toBeNull()
    const resident = await createLoggedInBrowser(app, await app.create.user())
    expect((await resident.get(`/issues/${issue}`)).visibleText).not.toContain('Target')
  })
})
