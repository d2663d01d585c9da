import { describe, expect, it } from 'vitest'

import { retryDeadLetter } from '../../src/outbox/dead-letters.ts'
import { startFakeEndpoint } from '../georeport/fake-endpoint.ts'
import { type FakeEndpoint, respond } from '../georeport/open-fake-endpoint.ts'
import { useApp } from '../helpers/use-app.ts'
import { createForwarded, createWorker, write } from './city.ts'

const app = useApp()
const UPDATES = '/servicerequestupdates.json'
const REQUESTS = '/requests.json'

const sent = (endpoint: FakeEndpoint) => endpoint.posts(UPDATES).map(({ form }) => [form['status'], form['description']])
const issueOf = async (id: number) => {
  const { status, comments } = await app.db.prisma.issue.findUniqueOrThrow({
    where: { id },
    include: { comments: { orderBy: { id: 'asc' } } },
  })
  return [status, ...comments.map(({ comment }) => comment)]
}

/** Closes the service request of an issue that is acknowledged here. The endpoint refuses the next updates. */
async function acknowledgeClosed({ refusals = 1, settings = {} } = {}) {
  const endpoint = await startFakeEndpoint()
  const forwarded = await createForwarded(app, endpoint, settings)
  Object.assign(endpoint.requests[0] ?? {}, { status: 'closed' })
  endpoint.fail('POST', UPDATES, respond(422), refusals)
  await write(app, forwarded.city.employee, forwarded.id, 'acknowledge', 'We come tomorrow.')
  await forwarded.worker.deliver()
  return { endpoint, ...forwarded }
}

describe('a change that the endpoint refuses', () => {
  it('is sent as a comment, and the issue takes the status of the service request', async () => {
    const { endpoint, id } = await acknowledgeClosed()
    const afterRestart = createWorker(app)

    for (let turn = 0; turn < 2; turn++) {
      await afterRestart.poll()
      await afterRestart.deliver()
    }

    expect(sent(endpoint)).toEqual([
      ['INVESTIGATING', 'We come tomorrow.'],
      [undefined, 'We come tomorrow.'],
    ])
    expect(await issueOf(id)).toEqual(['Closed', 'We come tomorrow.', 'The organisation has closed the report.'])
  })

  it('is a dead letter if the comment is refused too, whose retry sends the comment only', async () => {
    const { endpoint, id, worker } = await acknowledgeClosed({ refusals: 3 })
    const [dead] = await worker.deadLetters()
    expect(dead).toMatchObject({ handler: 'forward-update', last_error: expect.stringContaining('422') as string })
    await worker.poll()
    await retryDeadLetter(app.db, dead?.event_id ?? 0, 'forward-update')

    for (let turn = 0; turn < 2; turn++) {
      await worker.deliver()
      await worker.poll()
    }

    expect(sent(endpoint).at(-1)).toEqual([undefined, 'We come tomorrow.'])
    expect([endpoint.updates.length, endpoint.requests[0]?.status, await worker.pending()]).toEqual([1, 'closed', []])
    expect(await issueOf(id)).toEqual(['Closed', 'We come tomorrow.', 'The organisation has closed the report.'])
  })

  it('stays here if the organisation receives no updates', async () => {
    const { id, worker } = await acknowledgeClosed({ settings: { receives_updates: false } })

    await worker.poll()

    expect(await issueOf(id)).toEqual(['Acknowledged', 'We come tomorrow.'])
  })

  it('is followed by the next status of the list if the endpoint does not show service requests', async () => {
    const { endpoint, id, worker } = await acknowledgeClosed()
    endpoint.fail('GET', REQUESTS, respond(404), 9)
    await worker.poll()
    expect([await issueOf(id), await worker.pollError()]).toEqual([['Acknowledged', 'We come tomorrow.'], null])
    const updated_datetime = new Date(Date.now() + 1_000).toISOString()
    endpoint.updates.push({
      update_id: 'R-1',
      service_request_id: 'SR-1',
      status: 'CLOSED',
      updated_datetime,
      description: 'Done.',
    })

    await worker.poll()

    expect(await issueOf(id)).toEqual(['Closed', 'We come tomorrow.', 'Done.'])
  })

  it('is compared again after a failure of the endpoint', async () => {
    const { endpoint, id, worker } = await acknowledgeClosed()
    endpoint.fail('GET', REQUESTS, respond(502))
    await worker.poll()
    expect(await worker.pollError()).toBe('the status of service requests could not be read: the endpoint responded 502')

    await worker.poll()

    expect([(await issueOf(id))[0], await worker.pollError()]).toEqual(['Closed', null])
  })

  it('does not count while a later one waits', async () => {
    const { endpoint, city, id, worker } = await acknowledgeClosed()
    await write(app, city.employee, id, 'close', 'It is filled.')
    await worker.poll()
    expect(await issueOf(id)).toEqual(['Closed', 'We come tomorrow.', 'It is filled.'])

    await worker.deliver()
    await worker.poll()

    expect(sent(endpoint).at(-1)).toEqual(['CLOSED', 'It is filled.'])
    expect(await issueOf(id)).toEqual(['Closed', 'We come tomorrow.', 'It is filled.'])
  })
})

describe('a comment for an endpoint that requires a status', () => {
  const comment = async (status: string) => {
    const endpoint = await startFakeEndpoint()
    const forwarded = await createForwarded(app, endpoint)
    Object.assign(endpoint.requests[0] ?? {}, { status })
    endpoint.fail('POST', UPDATES, respond(400))
    await write(app, forwarded.city.resident, forwarded.id, 'comments', 'It grows.')
    return { endpoint, ...forwarded }
  }

  it('has the present status there', async () => {
    const { endpoint, worker } = await comment('closed')

    await worker.deliver()

    expect(sent(endpoint)).toEqual([
      [undefined, 'It grows.'],
      ['CLOSED', 'It grows.'],
    ])
  })

  it('has the status here if the endpoint does not show service requests', async () => {
    const { endpoint, worker } = await comment('closed')
    endpoint.fail('GET', REQUESTS, respond(404))

    await worker.deliver()

    expect(sent(endpoint).at(-1)).toEqual(['OPEN', 'It grows.'])
  })

  it('is repeated if the status cannot be read now', async () => {
    const { endpoint, worker } = await comment('closed')
    endpoint.fail('GET', REQUESTS, respond(502))
    expect(await worker.deliver()).toEqual(['the endpoint responded 502'])
    await worker.wait()
    endpoint.fail('POST', UPDATES, respond(400))

    expect(await worker.deliver()).toEqual([])

    expect(endpoint.updates.map(({ status, description }) => [status, description])).toEqual([['CLOSED', 'It grows.']])
  })
})
