import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { startFakeEndpoint } from '../georeport/fake-endpoint.ts'
import { respond } from '../georeport/open-fake-endpoint.ts'
import { useApp } from '../helpers/use-app.ts'
import { createForwarded, createWorker, write } from './city.ts'

const app = useApp()
const UPDATES = '/servicerequestupdates.json'

const comments = async (id: number) =>
  (await app.db.prisma.comment.findMany({ where: { issue_id: id }, orderBy: { id: 'asc' } })).map(({ comment }) => comment)
const update = (update_id: string, fields: Record<string, string> = {}) => ({
  ...{ update_id, service_request_id: 'SR-1', status: 'OPEN', updated_datetime: new Date().toISOString() },
  ...{ description: `This is ${update_id}.`, ...fields },
})
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()

describe('the list of an endpoint', () => {
  it.each([1, 20, 50])('may have pages of %i updates', async (pageLength) => {
    const endpoint = await startFakeEndpoint({ pageLength })
    const { id, worker } = await createForwarded(app, endpoint)
    endpoint.updates.push(...Array.from({ length: 21 }, (_, n) => update(`R-${n}`)))

    await worker.poll()

    expect((await comments(id)).length).toBe(21)
    expect(endpoint.received.find(({ path }) => path === UPDATES)?.query['page_size']).toBe('50')
  })

  it('is read in shorter periods if it is too large, and a part that stays too large does not stop the others', async () => {
    const endpoint = await startFakeEndpoint()
    const { id, worker } = await createForwarded(app, endpoint)
    await app.db.execute(
      sql`UPDATE forwarding_endpoints e SET updates_read_until = now() - interval '10 hours' WHERE e.organization_id > 0`,
    )
    const huge = 'x'.repeat(4_500_000)
    endpoint.updates.push(update('R-1', { updated_datetime: minutesAgo(500) }))
    endpoint.updates.push(update('R-2', { updated_datetime: minutesAgo(300), description: huge }))
    endpoint.updates.push(update('R-3', { updated_datetime: minutesAgo(100) }))

    for (let turn = 0; turn < 6; turn++) await worker.poll()
    endpoint.updates.push(update('R-4'))
    await worker.poll()

    expect(await comments(id)).toEqual(['This is R-1.', 'This is R-3.', 'This is R-4.'])
  })

  it('may have pages that are too large together', async () => {
    const endpoint = await startFakeEndpoint({ pageLength: 1 })
    const { id, worker } = await createForwarded(app, endpoint)
    await app.db.execute(
      sql`UPDATE forwarding_endpoints e SET updates_read_until = now() - interval '10 hours' WHERE e.organization_id > 0`,
    )
    const long = 'x'.repeat(3_500_000)
    for (let n = 0; n < 6; n++)
      endpoint.updates.push(update(`R-${n}`, { updated_datetime: minutesAgo(550 - 100 * n), description: long }))

    for (let turn = 0; turn < 4; turn++) await worker.poll()

    expect((await comments(id)).length).toBe(6)
  })

  it('has the same updates in the XML of FixMyStreet', async () => {
    const endpoint = await startFakeEndpoint()
    const { id, worker } = await createForwarded(app, endpoint)
    const entry = (n: number) =>
      `<request_update><update_id>R-${n}</update_id><service_request_id>SR-1</service_request_id><status>CLOSED</status><description>This is R-${n}.</description></request_update>`
    endpoint.fail('GET', UPDATES, respond(200, `<service_requests_updates>${entry(1)}${entry(2)}</service_requests_updates>`))

    await worker.poll()

    expect(await comments(id)).toEqual(['This is R-1.', 'This is R-2.'])
  })

  it('is an error that administrators see if its entries have no ids', async () => {
    const endpoint = await startFakeEndpoint()
    const { worker } = await createForwarded(app, endpoint)
    endpoint.fail('GET', UPDATES, respond(200, '<changes><change><id>1</id></change></changes>'))

    await worker.poll()

    expect(await worker.pollError()).toBe('the list of servicerequestupdates has no field update_id')
  })

  it('may have an update with a long id and status', async () => {
    const endpoint = await startFakeEndpoint()
    const { id, worker } = await createForwarded(app, endpoint)
    const long = randomBytes(3_000).toString('base64')
    endpoint.updates.push(update(long, { description: 'A long id.', status: long }), update('R-1'))

    await worker.poll()
    await worker.poll()

    expect(await comments(id)).toEqual(['A long id.', 'This is R-1.'])
    expect(await worker.pollError()).toBeNull()
  })

  it('may have an update that cannot be applied at first, which does not stop the others', async () => {
    const endpoint = await startFakeEndpoint()
    const { id } = await createForwarded(app, endpoint)
    endpoint.updates.push(update('R-1'), update('R-2'))
    const worker = createWorker(app, { more: { db: { ...app.db, transaction: failFirst(app.db.transaction) } } })

    await worker.poll()
    const before = [await comments(id), await worker.pollError()]
    await worker.poll()

    expect(before).toEqual([['This is R-2.'], `an update of issue ${id} could not be applied`])
    expect([await comments(id), await worker.pollError()]).toEqual([['This is R-2.', 'This is R-1.'], null])
  })
})

describe('an update of the endpoint that begins like a comment of a resident', () => {
  const official = { status: 'CLOSED', description: 'Thanks for your report. We filled the hole.' }

  it.each([
    ['that the endpoint refused', respond(400)],
    ['that the endpoint accepted without an id', respond(200, '[{}]')],
  ])('is received after a comment %s', async (_, failure) => {
    const endpoint = await startFakeEndpoint()
    const { city, id, worker } = await createForwarded(app, endpoint)
    endpoint.fail('POST', UPDATES, failure, 3)
    await write(app, city.resident, id, 'comments', 'Thanks')
    await worker.deliver()
    endpoint.updates.push(update('R-1', official))

    await worker.poll()

    expect(await comments(id)).toEqual(['Thanks', official.description])
    expect((await app.db.prisma.issue.findUniqueOrThrow({ where: { id } })).status).toBe('Closed')
  })

  it('is not taken for the comment after a lost response', async () => {
    const endpoint = await startFakeEndpoint()
    const { city, id, worker } = await createForwarded(app, endpoint)
    endpoint.fail('POST', UPDATES, 'reset')
    await write(app, city.resident, id, 'comments', 'Thanks')
    await worker.deliver()
    endpoint.updates.push(update('R-1', official))
    await worker.wait()

    await worker.deliver()
    await worker.poll()

    expect(endpoint.updates.map(({ description }) => description)).toEqual([official.description, 'Thanks'])
    expect(await comments(id)).toEqual(['Thanks', official.description])
  })
})

function failFirst(transaction: typeof app.db.transaction): typeof app.db.transaction {
  let count = 0
  return (work) => (++count === 1 ? Promise.reject(new Error('The statement failed.')) : transaction(work))
}
