import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { createEndpointClient, type EndpointClient } from '../../src/georeport/endpoint-client.ts'
import { openTestDatabase, resetDatabase } from '../helpers/database.ts'
import { createFactories } from '../helpers/factories.ts'
import { PUBLIC_URL, type TestApp, useApp } from '../helpers/use-app.ts'
import { appOn } from '../http/app-on.ts'
import { createCity, createWorker, report, write } from './city.ts'

const app = useApp()
let otherDatabase: TestApp['db']
beforeAll(async () => {
  otherDatabase = await openTestDatabase()
})
beforeEach(() => resetDatabase(otherDatabase))
afterAll(() => otherDatabase.close())

/** Starts a second installation on the other database, on a port of this machine. */
async function startOther(port = 0, env: Record<string, string> = {}) {
  const { fastify, services, anonymous } = await appOn(otherDatabase, {
    PUBLIC_URL: 'https://other.test',
    TRUST_PROXY: '127.0.0.1',
    ...env,
  })
  await fastify.listen({ port, host: '127.0.0.1' })
  onTestFinished(() => fastify.close())
  const listening = (fastify.server.address() as AddressInfo).port
  return { port: listening, url: `http://127.0.0.1:${listening}/open311/v2`, services, anonymous, stop: () => fastify.close() }
}

/** A city whose organisation forwards to the other installation, where an employee has a token. */
async function createCities({ holds = false, env = {} } = {}) {
  const create = createFactories(otherDatabase)
  const organization = await create.organization({ name: 'County Roads' })
  const type = await create.requestType({
    title: 'Pothole',
    organization,
    questions: [{ question: 'How wide is it?', question_type: 'select', select_values: [{ key: 'wide', name: 'Wide' }] }],
  })
  if (holds) await otherDatabase.execute(sql`UPDATE organizations o SET hold_everything = TRUE WHERE o.id = ${organization}`)
  const employee = await create.user({ name: 'Otto Other', memberOf: [{ organization, role: 'moderator' }] })
  await otherDatabase.execute(sql`UPDATE users u SET created_at = now() - interval '2 days' WHERE u.id = ${employee.id}`)
  const other = await startOther(0, env)
  const city = await createCity(app, other, {
    ...{ jurisdiction_id: 'County Roads', api_key: employee.token, default_service_code: String(type) },
  })
  return { other, city, employee }
}

/** Sends requests as through a proxy of the other installation that ends TLS, because keys are accepted over HTTPS only. */
const throughProxy = createEndpointClient({ allow: ['127.0.0.0/8'] })
const endpoints: EndpointClient = {
  send: ({ headers, ...request }, signal) =>
    throughProxy.send({ ...request, headers: { ...headers, 'x-forwarded-proto': 'https' } }, signal),
}

const otherIssue = async () => {
  const issue = await otherDatabase.prisma.issue.findFirstOrThrow({ include: { comments: { orderBy: { id: 'asc' } } } })
  return { ...issue, comments: issue.comments.map(({ comment }) => comment) }
}
const ownIssue = async (id: number) =>
  (await app.as.anonymous.get(`/issues/${id}`)).body as { status: string; comments: { comment: string }[] }
const ownComments = async (id: number) => (await ownIssue(id)).comments.map(({ comment }) => comment)

describe('two installations', () => {
  it('have the same issue with the same comments and status, and repeat nothing', async () => {
    const { other, city, employee } = await createCities()
    const id = await report(app, city)
    const worker = createWorker(app, { more: { endpoints } })
    expect(await worker.deliver()).toEqual([])
    const remote = await otherIssue()
    await write(app, city.resident, id, 'comments', 'It grows.')
    await write(app, city.employee, id, 'acknowledge', 'We forwarded it.')
    expect(await worker.deliver()).toEqual([])
    const act = (action: string, comment: string) =>
      other.anonymous.send('POST', `/api/v2/issues/${remote.id}/${action}`, {
        headers: { authorization: `Bearer ${employee.token}` },
        body: { comment },
      })
    expect((await act('close', 'It is filled.')).status).toBe(201)

    for (let turn = 0; turn < 3; turn++) {
      await worker.poll()
      expect(await worker.deliver()).toEqual([])
    }

    const comments = ['It grows.', 'We forwarded it.', 'It is filled.']
    expect(await otherIssue()).toMatchObject({ summary: 'A deep pothole', status: 'Closed', comments })
    expect(await ownIssue(id)).toMatchObject({
      status: 'Closed',
      integrations: { remote_id: remote.id, title: `Open311 ${remote.id}`, status: 'closed' },
    })
    expect(await ownComments(id)).toEqual(comments)
    expect(await otherDatabase.prisma.issue.count()).toBe(1)
    expect([await worker.pending(), await worker.deadLetters(), await worker.pollError()]).toEqual([[], [], null])
  })

  it.each([
    ['a comment before the closing', ['own comments', 'other close'], 'Closed'],
    ['a comment after a closing that is not known yet', ['other close', 'own comments'], 'Closed'],
    ['a comment on a closing that is not sent yet', ['own close', 'other comments'], 'Closed'],
    ['two changes that are sent together', ['own close', 'own open'], 'Open'],
    ['two changes to a closing that are sent together', ['own acknowledge', 'own close'], 'Closed'],
    ['a closing that is not sent yet and an acknowledgement', ['own close', 'other acknowledge'], 'Closed'],
  ] as const)('have the same status after %s', async (_, steps, expected) => {
    const { other, city, employee } = await createCities()
    const id = await report(app, city)
    const worker = createWorker(app, { more: { endpoints } })
    await worker.deliver()
    const remote = await otherIssue()
    for (const step of steps) {
      const [side, action = ''] = step.split(' ')
      const comment = `This is step ${step}.`
      if (side === 'own') await write(app, city.employee, id, action, comment)
      else {
        const headers = { authorization: `Bearer ${employee.token}` }
        await other.anonymous.send('POST', `/api/v2/issues/${remote.id}/${action}`, { headers, body: { comment } })
      }
      // Endpoints give times to the second.
      await setTimeout(1_000)
    }

    for (let turn = 0; turn < 3; turn++) {
      await worker.poll()
      expect(await worker.deliver()).toEqual([])
    }

    expect([await ownIssue(id), await otherIssue()]).toMatchObject([{ status: expected }, { status: expected }])
    expect((await ownComments(id)).toSorted()).toEqual((await otherIssue()).comments.toSorted())
  })

  it('do not send an issue back, whatever their addresses are', async () => {
    const { other, city } = await createCities()
    const own = await appOn(app.db, { TRUST_PROXY: '127.0.0.1' })
    await own.fastify.listen({ port: 0, host: '127.0.0.1' })
    const { port } = own.fastify.server.address() as AddressInfo
    const [organization] = await otherDatabase.prisma.organization.findMany()
    await otherDatabase.prisma.forwardingEndpoint.create({
      data: {
        ...{
          organization_id: organization!.id,
          url: `http://127.0.0.1:${port}/open311/v2`,
          api_key: city.employee.token,
          format: 'json',
        },
        ...{ default_service_code: String(city.type), shared: [], extended_statuses: true },
        ...{ sends_reports: true, sends_updates: true, receives_updates: false },
      },
    })
    const id = await report(app, city)
    const worker = createWorker(app, { more: { endpoints } })
    const back = createWorker({ ...app, db: otherDatabase, services: other.services }, { more: { endpoints } })
    await worker.deliver()
    const remote = await otherIssue()
    await write(app, city.resident, id, 'comments', 'It grows.')
    await worker.deliver()

    expect([await back.deliver(), await back.deliver()]).toEqual([[], []])

    expect(await app.db.prisma.issue.count()).toBe(1)
    expect(await ownComments(id)).toEqual(['It grows.'])
    expect([await back.pending(), await back.deadLetters()]).toEqual([[], []])
    expect(await otherDatabase.prisma.reportOrigins.findMany()).toEqual([
      { issue_id: remote.id, addresses: [`${PUBLIC_URL}/issues/${id}`] },
    ])
  })

  it('lose nothing while one of them is away', async () => {
    const { other, city } = await createCities()
    const worker = createWorker(app, { more: { endpoints } })
    const first = await report(app, city)
    await worker.deliver()
    await other.stop()
    await write(app, city.resident, first, 'close', 'It is gone.')
    await report(app, city, { answers: { summary: 'Another pothole' } })
    expect((await worker.deliver()).length).toBe(2)
    await worker.poll()
    expect(await worker.pollError()).toContain('ECONNREFUSED')

    await startOther(other.port)
    await worker.wait()
    expect(await worker.deliver()).toEqual([])
    await worker.poll()

    const issues = await otherDatabase.prisma.issue.findMany({ orderBy: { id: 'asc' }, include: { comments: true } })
    expect(issues.map(({ summary, status, comments }) => [summary, status, comments.length])).toEqual([
      ['A deep pothole', 'Closed', 1],
      ['Another pothole', 'Open', 0],
    ])
    expect(await ownComments(first)).toEqual(['It is gone.'])
    expect([await worker.pending(), await worker.pollError()]).toEqual([[], null])
  })

  it('wait for the rate limit of the other one, which blocks nothing', async () => {
    const { city } = await createCities({ env: { RATE_LIMIT: '5' } })
    for (let n = 1; n <= 20; n++) await report(app, city, { answers: { summary: `Pothole ${n}` } })
    const worker = createWorker(app, { more: { endpoints } })

    expect([await worker.deliver(), await worker.deliver()]).toEqual([[], []])

    expect(await otherDatabase.prisma.issue.count()).toBe(5)
    expect([(await worker.pending()).length, await worker.deadLetters()]).toEqual([15, []])
    const { paused_until } = await app.db.prisma.forwardingEndpoint.findFirstOrThrow()
    expect((paused_until?.getTime() ?? Infinity) - Date.now()).toBeLessThan(61_000)
  })

  it('create one issue if the response is lost, also if the issue waits for approval', async () => {
    const { other, city } = await createCities({ holds: true })
    const id = await report(app, city)
    const lossy: EndpointClient = {
      async send(request, signal) {
        const response = await endpoints.send(request, signal)
        return request.method === 'POST' ? { status: 502, text: '' } : response
      },
    }
    const losing = createWorker(app, { more: { endpoints: lossy } })
    expect(await losing.deliver()).toEqual(['the endpoint responded 502'])
    const worker = createWorker(app, { more: { endpoints } })
    await worker.wait()
    expect(await worker.deliver()).toEqual([])

    const [item, ...others] = await otherDatabase.prisma.moderationItem.findMany()
    expect(others).toEqual([])
    await worker.poll()
    expect(await ownIssue(id)).toMatchObject({ integrations: { remote_id: null } })
    const headers = { authorization: `Bearer ${(await createFactories(otherDatabase).user({ role: 'Admin' })).token}` }
    await other.anonymous.send('POST', `/api/v2/moderation/${item?.id}/approve`, { headers })
    await worker.poll()

    expect(await ownIssue(id)).toMatchObject({ integrations: { remote_id: (await otherIssue()).id } })
    expect(await otherDatabase.prisma.issue.count()).toBe(1)
  })
})
