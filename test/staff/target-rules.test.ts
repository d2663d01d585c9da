import { beforeEach, describe, expect, it } from 'vitest'

import type { TestUser } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'

const app = useApp()
let [roads, potholes] = [0, 0]
let manager: TestUser
let employee: TestUser

beforeEach(async () => {
  roads = await app.create.organization({ name: 'Roads' })
  potholes = await app.create.requestType({ organization: roads, title: 'Pothole' })
  manager = await app.create.user({ memberOf: [{ organization: roads, role: 'manager' }] })
  employee = await app.create.user({ memberOf: [{ organization: roads }] })
})

const cityHall = {
  name: ' City hall ',
  time_zone: 'America/Denver',
  weekly_hours: { monday: ['13:00-17:00', '08:00-12:00'], tuesday: ['00:00-24:00'], wednesday: [] },
  holidays: ['2026-12-25', '2026-01-01', '2026-12-25'],
}

type Method = 'POST' | 'PUT' | 'DELETE'
const send = (method: Method, path: string, body?: object, by = manager) =>
  app.as.user(by).send(method, `/api/v2/organizations/${roads}${path}`, { body, headers: { 'if-match': '*' } })
const read = (path: string, by = employee) => app.as.user(by).get(`/organizations/${roads}${path}`)
const recomputations = () => app.db.prisma.targetRecomputation.count({ where: { organization_id: roads } })

async function createCalendar(): Promise<number> {
  return ((await send('POST', '/calendars', cityHall)).body as { id: number }).id
}

describe('calendars of an organisation', () => {
  it('are created by a manager, read by an employee, changed in part and deleted', async () => {
    const created = await send('POST', '/calendars', cityHall)
    const { id } = created.body as { id: number }
    const stored = {
      id,
      name: 'City hall',
      time_zone: 'America/Denver',
      weekly_hours: { monday: ['08:00-12:00', '13:00-17:00'], tuesday: ['00:00-24:00'] },
      holidays: ['2026-01-01', '2026-12-25'],
    }
    expect(created).toMatchObject({ status: 201, body: stored })
    expect((await read('/calendars')).body).toEqual({ errors: {}, metadata: {}, calendars: [stored] })

    const changed = await send('PUT', `/calendars/${id}`, { holidays: [] })
    expect(changed).toMatchObject({ status: 200, body: { ...stored, holidays: [] } })
    expect(await recomputations()).toBe(1)

    expect((await send('DELETE', `/calendars/${id}`)).status).toBe(204)
    expect((await read('/calendars')).body).toMatchObject({ calendars: [] })
  })

  it.each([
    ['name', { name: ' ' }],
    ['time_zone', { time_zone: 'Denver' }],
    ['time_zone', { time_zone: '+01:00' }],
    ['weekly_hours', { weekly_hours: { monday: ['8-12'] } }],
    ['weekly_hours.monday', { weekly_hours: { monday: ['12:00-08:00'] } }],
    ['weekly_hours.friday', { weekly_hours: { monday: ['08:00-12:00'], friday: ['08:00-12:00', '11:00-13:00'] } }],
    ['weekly_hours', { weekly_hours: { monday: ['08:00-08:59'] } }],
    ['weekly_hours', { weekly_hours: { someday: ['08:00-12:00'] } }],
    ['holidays', { holidays: ['2026-02-30'] }],
    ['holidays', { holidays: ['Christmas'] }],
  ])('refuse an invalid %s', async (field, input) => {
    const refused = await send('POST', '/calendars', { ...cityHall, ...input })

    expect([refused.status, Object.keys(refused.body as object)]).toEqual([422, [field]])
  })

  it('are not changed by employees, and not read by members of other organisations', async () => {
    const id = await createCalendar()
    const stranger = await app.create.user({ memberOf: [{ organization: await app.create.organization(), role: 'owner' }] })

    for (const path of ['/calendars', '/targets']) {
      expect((await send('POST', path, {}, employee)).status).not.toBe(201)
      expect((await read(path, stranger)).status).toBe(403)
    }
    expect(await send('PUT', `/calendars/${id}`, { name: 'Mine' }, employee)).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('manage_content') as string },
    })
    expect((await send('DELETE', `/calendars/${id}`, undefined, employee)).status).toBe(403)
  })

  it('are limited to twenty', async () => {
    for (let n = 0; n < 20; n++) await createCalendar()

    expect(await send('POST', '/calendars', cityHall)).toMatchObject({
      status: 422,
      body: { base: expect.stringContaining('20') as string },
    })
  })

  it('are not deleted while a target uses them', async () => {
    const calendar_id = await createCalendar()
    await send('POST', '/targets', { close_hours: 40, calendar_id })

    expect((await send('DELETE', `/calendars/${calendar_id}`)).status).toBe(422)
  })
})

describe('targets of an organisation', () => {
  it('are for one request type or for all others, and the targets of open issues follow each change', async () => {
    const calendar_id = await createCalendar()
    const created = await send('POST', '/targets', { request_type_id: potholes, acknowledge_hours: 8, calendar_id })
    const { id } = created.body as { id: number }
    expect(created).toMatchObject({
      status: 201,
      body: { request_type_id: potholes, acknowledge_hours: 8, close_hours: null, calendar_id },
    })
    expect(await recomputations()).toBe(1)
    await send('POST', '/targets', { close_hours: 240 })

    const { targets } = (await read('/targets')).body as { targets: object[] }
    expect(targets).toMatchObject([{ request_type_id: null, close_hours: 240 }, { id }])

    const changed = await send('PUT', `/targets/${id}`, { close_hours: 40, calendar_id: null })
    expect(changed).toMatchObject({ status: 200, body: { acknowledge_hours: 8, close_hours: 40, calendar_id: null } })

    await app.db.prisma.targetRecomputation.deleteMany()
    expect((await send('DELETE', `/targets/${id}`)).status).toBe(204)
    expect(await recomputations()).toBe(1)
  })

  it('refuse a second one for the same types, other organisations’ types and calendars, and no hours', async () => {
    const other = await app.create.organization()
    const foreign = await app.db.prisma.calendar.create({
      data: { organization_id: other, name: 'Other', time_zone: 'UTC', weekly_hours: {} },
    })
    await send('POST', '/targets', { close_hours: 10 })

    const fieldsOf = async (body: object) => Object.keys((await send('POST', '/targets', body)).body as object)
    expect(await fieldsOf({ close_hours: 10 })).toEqual(['request_type_id'])
    expect(await fieldsOf({ request_type_id: await app.create.requestType({ organization: other }), close_hours: 10 })).toEqual([
      'request_type_id',
    ])
    expect(await fieldsOf({ request_type_id: potholes, close_hours: 10, calendar_id: foreign.id })).toEqual(['calendar_id'])
    expect(await fieldsOf({ request_type_id: potholes })).toEqual(['base'])
    expect(await fieldsOf({ request_type_id: potholes, close_hours: 0 })).toEqual(['close_hours'])
    expect(await fieldsOf({ request_type_id: potholes, close_hours: 99_999 })).toEqual(['close_hours'])
  })

  it('of another organisation are 404', async () => {
    const other = await app.create.organization()
    const { id } = await app.db.prisma.targetRule.create({ data: { organization_id: other, close_hours: 10 } })

    expect((await send('PUT', `/targets/${id}`, { close_hours: 1 })).status).toBe(404)
    expect((await send('DELETE', `/targets/${id}`)).status).toBe(404)
  })
})
