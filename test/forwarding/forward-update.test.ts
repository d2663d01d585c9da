import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { startFakeEndpoint } from '../georeport/fake-endpoint.ts'
import { type FakeEndpoint, respond } from '../georeport/open-fake-endpoint.ts'
import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'
import { API_KEY, createCity, createForwarded, createWorker, report, write } from './city.ts'

const app = useApp()
const UPDATES = '/servicerequestupdates.json'

const sent = (endpoint: FakeEndpoint) => endpoint.posts(UPDATES).map(({ form }) => [form['status'], form['description']])
const comments = async (id: number) =>
  (await app.db.prisma.comment.findMany({ where: { issue_id: id }, orderBy: { id: 'asc' } })).map(({ comment }) => comment)

describe('a change of a forwarded issue', () => {
  it('is sent to the endpoint with its comment and status, once and in order', async () => {
    const endpoint = await startFakeEndpoint()
    const { city, id, worker } = await createForwarded(app, endpoint)
    await write(app, city.resident, id, 'comments', 'It grows.')
    await write(app, city.employee, id, 'acknowledge', 'We come tomorrow.')
    await write(app, city.employee, id, 'close', 'It is filled.')
    await write(app, city.resident, id, 'open', 'It is back.')

    await worker.deliver()
    await worker.deliver()

    expect(sent(endpoint)).toEqual([
      [undefined, 'It grows.'],
      ['INVESTIGATING', 'We come tomorrow.'],
      ['CLOSED', 'It is filled.'],
      ['OPEN', 'It is back.'],
    ])
    expect(endpoint.posts(UPDATES)[0]?.form).toEqual({
      ...{ jurisdiction_id: 'city.example', api_key: API_KEY, service_request_id: 'SR-1', update_id: '1' },
      updated_datetime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) as string,
      description: 'It grows.',
    })
    expect(await worker.pending()).toEqual([])
  })

  it('has the present status without a change of it if the endpoint requires one', async () => {
    const endpoint = await startFakeEndpoint()
    const { city, id, worker } = await createForwarded(app, endpoint)
    await write(app, city.employee, id, 'close', 'It is filled.')
    await worker.deliver()
    endpoint.fail('POST', UPDATES, respond(400))
    await write(app, city.resident, id, 'comments', 'Thank you.')

    await worker.deliver()

    expect(sent(endpoint)).toEqual([
      ['CLOSED', 'It is filled.'],
      [undefined, 'Thank you.'],
      ['CLOSED', 'Thank you.'],
    ])
  })

  it('is sent again if only an earlier one has the same text at the endpoint', async () => {
    const endpoint = await startFakeEndpoint()
    const { city, id, worker } = await createForwarded(app, endpoint)
    await write(app, city.resident, id, 'comments', 'It grows.')
    await worker.deliver()
    endpoint.fail('POST', UPDATES, respond(502))
    await write(app, city.resident, id, 'comments', 'It grows.')
    await worker.deliver()
    await worker.wait()

    await worker.deliver()

    expect(endpoint.updates.map(({ description }) => description)).toEqual(['It grows.', 'It grows.'])
  })

  it('has only the statuses of GeoReport v2 without extended statuses', async () => {
    const endpoint = await startFakeEndpoint()
    const { city, id, worker } = await createForwarded(app, endpoint, { extended_statuses: false })
    await write(app, city.employee, id, 'acknowledge', 'We come tomorrow.')

    await worker.deliver()

    expect(sent(endpoint)).toEqual([['OPEN', 'We come tomorrow.']])
  })

  it('is not sent if the organisation sends no updates, or if the issue was not forwarded', async () => {
    const endpoint = await startFakeEndpoint()
    const { city, id, worker } = await createForwarded(app, endpoint, { sends_updates: false })
    await write(app, city.resident, id, 'comments', 'It grows.')
    const older = await app.create.issue({ request_type: city.type })
    await app.db.execute(sql`UPDATE forwarding_endpoints e SET sends_updates = TRUE WHERE e.organization_id = ${city.organization}`)
    await write(app, city.resident, older, 'comments', 'It grows, too.')
    await app.db.execute(
      sql`UPDATE forwarding_endpoints e SET sends_updates = FALSE WHERE e.organization_id = ${city.organization}`,
    )

    await worker.deliver()

    expect(sent(endpoint)).toEqual([])
    expect(await worker.pending()).toEqual([])
  })

  it('waits for its report and for earlier updates', async () => {
    const endpoint = await startFakeEndpoint()
    const city = await createCity(app, endpoint)
    const id = await report(app, city)
    await write(app, city.resident, id, 'comments', 'It grows.')
    await write(app, city.resident, id, 'close', 'It is gone.')
    const worker = createWorker(app)
    endpoint.fail('POST', '/requests', respond(403))
    await worker.deliver()
    expect(sent(endpoint)).toEqual([])

    endpoint.fail('POST', UPDATES, respond(403))
    await worker.deliver()
    expect(sent(endpoint)).toEqual([[undefined, 'It grows.']])
    await worker.deliver()

    expect(sent(endpoint)).toEqual([
      [undefined, 'It grows.'],
      [undefined, 'It grows.'],
      ['CLOSED', 'It is gone.'],
    ])
    expect(await worker.pending()).toEqual([])
  })

  it('is not repeated if the response was lost, because the endpoint is asked for it', async () => {
    const endpoint = await startFakeEndpoint()
    const { city, id, worker } = await createForwarded(app, endpoint)
    await write(app, city.resident, id, 'comments', 'It grows.')
    endpoint.fail('POST', UPDATES, 'lose')

    await worker.deliver()
    await worker.wait()
    await worker.deliver()

    expect(endpoint.updates.length).toBe(1)
    expect(await worker.pending()).toEqual([])
    await worker.poll()
    expect(await comments(id)).toEqual(['It grows.'])
  })

  it('is not repeated with another id if the endpoint cannot be asked', async () => {
    const endpoint = await startFakeEndpoint()
    const { city, id, worker } = await createForwarded(app, endpoint)
    await write(app, city.resident, id, 'comments', 'It grows.')
    endpoint.fail('POST', UPDATES, 'lose')
    endpoint.fail('GET', UPDATES, respond(404))

    await worker.deliver()
    await worker.wait()
    await worker.deliver()

    expect(endpoint.posts(UPDATES).map(({ form }) => form['update_id'])).toEqual(['1', '1'])
  })

  it('is a dead letter at once if the endpoint takes no updates, and does not block later ones', async () => {
    const endpoint = await startFakeEndpoint()
    const { city, id, worker } = await createForwarded(app, endpoint)
    endpoint.fail('POST', UPDATES, respond(404))
    await write(app, city.resident, id, 'comments', 'It grows.')
    await write(app, city.resident, id, 'comments', 'It grows more.')

    await worker.deliver()

    expect(await worker.deadLetters()).toMatchObject([
      { handler: 'forward-update', last_error: 'FinalDeliveryError: the endpoint responded 404' },
    ])
    expect(endpoint.updates.map(({ description }) => description)).toEqual(['It grows more.'])
  })

  it('is sent with the link to its picture in the text, or without its status, if the endpoint refuses them', async () => {
    const endpoint = await startFakeEndpoint()
    const { city, id, worker } = await createForwarded(app, endpoint)
    await write(app, city.employee, id, 'acknowledge', 'We come tomorrow.')
    await app.db.execute(sql`
      INSERT INTO media (issue_id, comment_id, full_key, content_type, bytes, width, height) VALUES (${id}, 1, 'one.png', 'image/png', 1, 1, 1)`)
    endpoint.fail('POST', UPDATES, respond(400), 2)

    await worker.deliver()

    const text = `We come tomorrow.\n\n${PUBLIC_URL}/files/one.png`
    expect(endpoint.posts(UPDATES).map(({ form }) => [form['status'], form['media_url'], form['description']])).toEqual([
      ['INVESTIGATING', `${PUBLIC_URL}/files/one.png`, 'We come tomorrow.'],
      ['INVESTIGATING', undefined, text],
      [undefined, undefined, text],
    ])
    expect(await worker.pending()).toEqual([])
  })

  it('is sent only when it is published', async () => {
    const endpoint = await startFakeEndpoint()
    const { city, id, worker } = await createForwarded(app, endpoint)
    await app.db.execute(sql`UPDATE organizations o SET hold_everything = TRUE WHERE o.id = ${city.organization}`)
    await write(app, city.resident, id, 'comments', 'It grows.')

    await worker.deliver()

    expect(sent(endpoint)).toEqual([])
  })
})
