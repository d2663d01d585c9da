import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { startFakeEndpoint } from '../georeport/fake-endpoint.ts'
import { queryRows } from '../helpers/query-rows.ts'
import { useApp } from '../helpers/use-app.ts'
import { openOpsApp } from '../ops/ops-app.ts'
import { type City, createForwarded, write } from './city.ts'

const app = useApp()
const UPDATES = '/servicerequestupdates.json'
const SPAM = 'Buy at https://a.example https://b.example https://c.example'

const comments = async (id: number) =>
  (await app.db.prisma.comment.findMany({ where: { issue_id: id }, orderBy: { id: 'asc' } })).map(({ comment }) => comment)
const status = async (id: number) => (await app.db.prisma.issue.findUniqueOrThrow({ where: { id } })).status

describe('an update of the endpoint', () => {
  const now = () => new Date().toISOString()
  const update = (fields: Record<string, string>) => ({
    ...{ update_id: 'R-1', service_request_id: 'SR-1', status: 'OPEN', updated_datetime: now(), description: 'We were there.' },
    ...fields,
  })

  it('becomes a comment of the receiver with its status, once, and is never returned', async () => {
    const endpoint = await startFakeEndpoint()
    const { city, id, worker } = await createForwarded(app, endpoint)
    endpoint.updates.push(update({ status: 'INVESTIGATING' }))
    await worker.poll()
    endpoint.updates.push(update({ update_id: 'R-2', status: 'CLOSED', description: 'Done.' }))

    for (let turn = 0; turn < 3; turn++) {
      await worker.poll()
      await worker.deliver()
    }

    const { body } = await app.as.anonymous.get(`/issues/${id}`)
    expect(body).toMatchObject({
      status: 'Closed',
      integrations: { title: 'Open311 SR-1', status: 'closed' },
      comments: [
        { comment: 'We were there.', commenter: { id: city.employee.id } },
        { comment: 'Done.', commenter: { id: city.employee.id } },
      ],
    })
    expect(endpoint.posts(UPDATES)).toEqual([])
    expect(await worker.pending()).toEqual([])
    const events = await queryRows<{ type: string }>(
      app.db,
      sql`SELECT e.type FROM events e WHERE e.actor_id = ${city.employee.id} ORDER BY e.id`,
    )
    expect(events.map(({ type }) => type)).toEqual(['issue.acknowledged', 'issue.closed'])
  })

  it('that this service has sent is not received', async () => {
    const endpoint = await startFakeEndpoint()
    const { city, id, worker } = await createForwarded(app, endpoint)
    await write(app, city.employee, id, 'close', 'It is filled.')
    await worker.deliver()

    const before = (await app.as.anonymous.get(`/issues/${id}`)).headers['etag']
    await worker.poll()
    await worker.poll()

    const { body, headers } = await app.as.anonymous.get(`/issues/${id}`)
    expect(body).toMatchObject({ integrations: { status: 'closed' } })
    expect(headers['etag']).toBe(before)
    expect(endpoint.updates.length).toBe(1)
    expect(await comments(id)).toEqual(['It is filled.'])
  })

  it('without a text has a standard comment in the language of the receiver', async () => {
    const endpoint = await startFakeEndpoint()
    const { city, id, worker } = await createForwarded(app, endpoint)
    await app.db.execute(sql`UPDATE users u SET locale = 'es' WHERE u.id = ${city.employee.id}`)
    endpoint.updates.push(
      update({ status: 'CLOSED', description: '' }),
      update({ update_id: 'R-2', description: '  ', status: 'STRANGE' }),
    )

    await worker.poll()

    expect(await comments(id)).toEqual(['La organización ha cerrado el reporte.', 'La organización ha actualizado el reporte.'])
  })

  it('keeps the link to its picture', async () => {
    const endpoint = await startFakeEndpoint()
    const { id, worker } = await createForwarded(app, endpoint)
    endpoint.updates.push(
      update({ media_url: 'https://city.example/1.jpg' }),
      update({ update_id: 'R-2', media_url: 'javascript:x' }),
    )

    await worker.poll()

    expect(await comments(id)).toEqual(['We were there.\n\nhttps://city.example/1.jpg', 'We were there.'])
  })

  it('that is older than the status does not change it', async () => {
    const endpoint = await startFakeEndpoint()
    const { city, id, worker } = await createForwarded(app, endpoint, { sends_updates: false })
    await write(app, city.resident, id, 'close', 'It is gone.')
    await write(app, city.resident, id, 'open', 'It is back.')
    endpoint.updates.push(update({ status: 'CLOSED', updated_datetime: new Date(Date.now() - 60_000).toISOString() }))

    await worker.poll()

    expect([await status(id), await comments(id)]).toEqual(['Open', ['It is gone.', 'It is back.', 'We were there.']])
  })

  it.each([
    ['received', 'Acknowledged'],
    ['Fixed - Council', 'Closed'],
    ['cancelled', 'Closed'],
    ['ARCHIVED', 'Closed'],
  ])('with the state %s makes an issue %s', async (state, expected) => {
    const endpoint = await startFakeEndpoint()
    const { id, worker } = await createForwarded(app, endpoint)
    endpoint.updates.push(update({ status: state }))

    await worker.poll()

    expect(await status(id)).toBe(expected)
  })

  it('opens a closed issue, and leaves an archived one archived', async () => {
    const endpoint = await startFakeEndpoint()
    const { city, id, worker } = await createForwarded(app, endpoint, { sends_updates: false })
    await write(app, city.employee, id, 'close', 'It is filled.')
    const soon = new Date(Date.now() + 1_000).toISOString()
    endpoint.updates.push(update({ status: 'CLOSED', updated_datetime: soon }))
    await worker.poll()
    endpoint.updates.push(update({ update_id: 'R-2', status: 'OPEN', updated_datetime: soon }))
    await worker.poll()
    expect(await status(id)).toBe('Open')

    await app.db.execute(sql`UPDATE issues i SET status = 'Archived' WHERE i.id = ${id}`)
    endpoint.updates.push(update({ update_id: 'R-3', status: 'CLOSED', updated_datetime: soon }))
    await worker.poll()

    expect([await status(id), (await comments(id)).length]).toEqual(['Archived', 4])
  })

  it('of another service request or another organisation changes nothing', async () => {
    const endpoint = await startFakeEndpoint()
    const { id, worker } = await createForwarded(app, endpoint)
    endpoint.updates.push(update({ service_request_id: 'SR-2' }), { update_id: 'R-3' }, { service_request_id: 'SR-1' })

    await worker.poll()

    expect(await comments(id)).toEqual([])
  })

  it('is received later if the endpoint was away, however long', async () => {
    const endpoint = await startFakeEndpoint()
    const { id, worker } = await createForwarded(app, endpoint)
    await endpoint.stop()
    await worker.poll()
    expect(await worker.pollError()).toBe('the endpoint cannot be reached: ECONNREFUSED')
    await app.db.execute(sql`
      UPDATE forwarding_endpoints e SET updates_read_until = now() - interval '5 days' WHERE e.organization_id > 0`)
    endpoint.updates.push(update({ updated_datetime: new Date(Date.now() - 4 * 86_400_000).toISOString() }))
    await endpoint.start()

    await worker.poll()

    expect(await comments(id)).toEqual(['We were there.'])
    expect(await worker.pollError()).toBeNull()
  })

  it('that was published long after its time is received, too', async () => {
    const endpoint = await startFakeEndpoint()
    const { id, worker } = await createForwarded(app, endpoint)
    await worker.poll()
    endpoint.updates.push(update({ updated_datetime: new Date(Date.now() - 2 * 86_400_000).toISOString() }))
    await worker.poll()
    expect(await comments(id)).toEqual([])
    await app.db.execute(sql`
      UPDATE forwarding_endpoints e SET looked_back_at = now() - interval '2 hours' WHERE e.organization_id > 0`)

    await worker.poll()

    expect(await comments(id)).toEqual(['We were there.'])
  })

  it('waits for a moderator like a comment of the receiver, while the issue takes its status', async () => {
    const endpoint = await startFakeEndpoint()
    const { id, worker } = await createForwarded(app, endpoint)
    Object.assign(endpoint.requests[0] ?? {}, { status: 'closed', status_notes: SPAM })
    endpoint.updates.push(update({ status: 'CLOSED', description: SPAM }))

    for (let turn = 0; turn < 3; turn++) await worker.poll()

    const { body } = await app.as.anonymous.get(`/issues/${id}`)
    expect(body).toMatchObject({ status: 'Closed', comments: [{ comment: 'The organisation has closed the report.' }] })
    expect(await comments(id)).toEqual([SPAM, 'The organisation has closed the report.'])
    const { body: queue } = await app.as.user(await app.create.user({ role: 'Admin' })).get('/moderation')
    expect(queue).toMatchObject({ items: [{ subject_type: 'comment', reasons: ['links', 'links-of-a-new-account'] }] })
  })

  it('is found on any page', async () => {
    const endpoint = await startFakeEndpoint({ pageLength: 60 })
    const { id, worker } = await createForwarded(app, endpoint)
    const others = Array.from({ length: 150 }, (_, n) => update({ update_id: `O-${n}`, service_request_id: 'OTHER' }))
    endpoint.updates.push(...others, update({ external_status_code: 'Acknowledged', status: 'OPEN' }))

    await worker.poll()

    expect([await comments(id), await status(id)]).toEqual([['We were there.'], 'Acknowledged'])
  })

  it('closes the issue if the other installation has archived it', async () => {
    const endpoint = await startFakeEndpoint()
    const { id, worker } = await createForwarded(app, endpoint)
    endpoint.updates.push(update({ external_status_code: 'Archived', status: 'CLOSED' }))

    await worker.poll()

    expect([await comments(id), await status(id)]).toEqual([['We were there.'], 'Closed'])
  })

  it('is read from the service request if the endpoint lists no updates', async () => {
    const endpoint = await startFakeEndpoint({ listsUpdates: false })
    const { city, id, worker } = await createForwarded(app, endpoint, { sends_updates: false })
    const [request] = endpoint.requests
    await worker.poll()
    expect(await comments(id)).toEqual([])

    Object.assign(request ?? {}, { status: 'closed', status_notes: 'Filled with asphalt.' })
    await worker.poll()
    await worker.poll()
    await write(app, city.resident, id, 'open', 'It is back.')
    await worker.poll()
    Object.assign(request ?? {}, { status: 'open', status_notes: 'Acknowledged' })
    await worker.poll()

    expect(await comments(id)).toEqual(['Filled with asphalt.', 'It is back.', 'The organisation is looking into this.'])
    expect(await status(id)).toBe('Acknowledged')
    expect((await app.as.anonymous.get(`/issues/${id}`)).body).toMatchObject({ integrations: { status: 'acknowledged' } })
  })

  it('waits until the receiver is a member with a confirmed address', async () => {
    const endpoint = await startFakeEndpoint()
    const { city, id, worker } = await createForwarded(app, endpoint)
    endpoint.updates.push(update({}))
    await setConfirmed(city, null)
    await worker.poll()
    expect(await worker.pollError()).toContain('the receiver is no member')
    const { ask } = await openOpsApp(app.db)
    const warning = 'the receiver is no member of the organisation with a confirmed address'
    expect([(await ask('/ops/health')).text, (await ask('/ops')).text].map((text) => text.includes(warning))).toEqual([true, true])
    expect((await ask('/metrics')).text).toContain(`fixpoint_forwarding_poll_failures{organization_id="${city.organization}"} 1`)
    await setConfirmed(city, new Date())

    await worker.poll()

    expect(await comments(id)).toEqual(['We were there.'])
  })

  const setConfirmed = (city: City, confirmed_at: Date | null) =>
    app.db.prisma.emailAddress.updateMany({ where: { user_id: city.employee.id }, data: { confirmed_at } })
})
