import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'

import type { EndpointClient } from '../../src/georeport/endpoint-client.ts'
import { createFactories } from '../helpers/factories.ts'
import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'
import { appOn } from '../http/app-on.ts'
import { createWorker, report, write } from './city.ts'
import { endpoints, useOtherInstallation } from './other-installation.ts'

const app = useApp()
const installation = useOtherInstallation(app)

const ownIssue = async (id: number) =>
  (await app.as.anonymous.get(`/issues/${id}`)).body as { status: string; comments: { comment: string }[] }
const ownComments = async (id: number) => (await ownIssue(id)).comments.map(({ comment }) => comment)

async function approve(other: Awaited<ReturnType<typeof installation.start>>, item: number) {
  const { token } = await createFactories(installation.db).user({ role: 'Admin' })
  await other.anonymous.send('POST', `/api/v2/moderation/${item}/approve`, { headers: { authorization: `Bearer ${token}` } })
}

describe('two installations', () => {
  it('have the same issue with the same comments and status, and repeat nothing', async () => {
    const { city, act } = await installation.createCities()
    const id = await report(app, city)
    const worker = createWorker(app, { more: { endpoints } })
    expect(await worker.deliver()).toEqual([])
    const remote = await installation.findIssue()
    await write(app, city.resident, id, 'comments', 'It grows.')
    await write(app, city.employee, id, 'acknowledge', 'We forwarded it.')
    expect(await worker.deliver()).toEqual([])
    expect(await act(remote.id, 'close', 'It is filled.')).toBe(201)

    for (let turn = 0; turn < 3; turn++) {
      await worker.poll()
      expect(await worker.deliver()).toEqual([])
    }

    const comments = ['It grows.', 'We forwarded it.', 'It is filled.']
    expect(await installation.findIssue()).toMatchObject({ summary: 'A deep pothole', status: 'Closed', comments })
    expect(await ownIssue(id)).toMatchObject({
      status: 'Closed',
      integrations: { remote_id: remote.id, title: `Open311 ${remote.id}`, status: 'closed' },
    })
    expect(await ownComments(id)).toEqual(comments)
    expect(await installation.db.prisma.issue.count()).toBe(1)
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
    const { city, act } = await installation.createCities()
    const id = await report(app, city)
    const worker = createWorker(app, { more: { endpoints } })
    await worker.deliver()
    const remote = await installation.findIssue()
    for (const step of steps) {
      const [side, action = ''] = step.split(' ')
      const comment = `This is step ${step}.`
      if (side === 'own') await write(app, city.employee, id, action, comment)
      else await act(remote.id, action, comment)
      // Endpoints give times to the second.
      await setTimeout(1_000 - (Date.now() % 1_000))
    }

    for (let turn = 0; turn < 3; turn++) {
      await worker.poll()
      expect(await worker.deliver()).toEqual([])
    }

    expect([await ownIssue(id), await installation.findIssue()]).toMatchObject([{ status: expected }, { status: expected }])
    expect((await ownComments(id)).toSorted()).toEqual((await installation.findIssue()).comments.toSorted())
  })

  it('have the same status after a comment on a closing that is not known yet, if each update must have a status', async () => {
    const { city, act } = await installation.createCities()
    const id = await report(app, city)
    const requiring: EndpointClient = {
      send: (request, signal) =>
        request.url.includes('/servicerequestupdates') && request.form?.has('status') === false
          ? Promise.resolve({ status: 400, text: '' })
          : endpoints.send(request, signal),
    }
    const worker = createWorker(app, { more: { endpoints: requiring } })
    await worker.deliver()
    await act((await installation.findIssue()).id, 'close', 'It is filled.')
    await write(app, city.resident, id, 'comments', 'It grows.')

    for (let turn = 0; turn < 2; turn++) {
      await worker.deliver()
      await worker.poll()
    }

    expect(await installation.findIssue()).toMatchObject({ status: 'Closed', comments: ['It is filled.', 'It grows.'] })
    expect(await ownIssue(id)).toMatchObject({ status: 'Closed' })
    expect(await ownComments(id)).toEqual(['It grows.', 'It is filled.'])
  })

  it.each([
    ['is not known yet', ['deliver', 'poll'], []],
    ['is known', ['poll', 'deliver', 'poll'], ['The organisation has closed the report.']],
  ] as const)(
    'have the same status after an acknowledgement is refused, because of a closing that %s',
    async (_, turns, standard) => {
      const { city, act } = await installation.createCities()
      const id = await report(app, city)
      const worker = createWorker(app, { more: { endpoints } })
      await worker.deliver()
      await act((await installation.findIssue()).id, 'close', 'It is filled.')
      await write(app, city.employee, id, 'acknowledge', 'We come tomorrow.')

      for (const turn of [...turns, ...turns]) await worker[turn]()

      expect(await installation.findIssue()).toMatchObject({ status: 'Closed', comments: ['It is filled.', 'We come tomorrow.'] })
      expect(await ownIssue(id)).toMatchObject({ status: 'Closed' })
      expect(await ownComments(id)).toEqual(['We come tomorrow.', 'It is filled.', ...standard])
      expect(await worker.deadLetters()).toEqual([])
    },
  )

  it.each([
    ['employees', (token: string) => token],
    ['guests', () => null],
  ] as const)('that forward as %s do not send an issue back, whatever their addresses are', async (_, keyOf) => {
    const { other, city, employee } = await installation.createCities({ settings: { api_key: null } })
    for (const { prisma } of [app.db, installation.db]) await prisma.organization.updateMany({ data: { guest_reports: true } })
    await app.db.prisma.forwardingEndpoint.updateMany({ data: { api_key: keyOf(employee.token) } })
    const own = await appOn(app.db, { TRUST_PROXY: '127.0.0.1' })
    await own.fastify.listen({ port: 0, host: '127.0.0.1' })
    const { port } = own.fastify.server.address() as AddressInfo
    const [organization] = await installation.db.prisma.organization.findMany()
    await installation.db.prisma.forwardingEndpoint.create({
      data: {
        ...{
          organization_id: organization!.id,
          url: `http://127.0.0.1:${port}/open311/v2`,
          api_key: keyOf(city.employee.token),
          format: 'json',
        },
        ...{ default_service_code: String(city.type), shared: [], extended_statuses: true },
        ...{ sends_reports: true, sends_updates: true, receives_updates: false },
      },
    })
    const id = await report(app, city)
    const worker = createWorker(app, { more: { endpoints } })
    const back = createWorker({ ...app, db: installation.db, services: other.services }, { more: { endpoints } })
    await worker.deliver()
    for (const { id: item } of await installation.db.prisma.moderationItem.findMany()) await approve(other, item)
    const remote = await installation.findIssue()
    await write(app, city.resident, id, 'comments', 'It grows.')
    await worker.deliver()

    expect([await back.deliver(), await back.deliver()]).toEqual([[], []])

    expect(await app.db.prisma.issue.count()).toBe(1)
    expect(await ownComments(id)).toEqual(['It grows.'])
    expect([await back.pending(), await back.deadLetters()]).toEqual([[], []])
    expect(await installation.db.prisma.reportOrigins.findMany()).toEqual([
      { issue_id: remote.id, addresses: [`${PUBLIC_URL}/issues/${id}`] },
    ])
  })

  it('lose nothing while one of them is away', async () => {
    const { other, city } = await installation.createCities()
    const worker = createWorker(app, { more: { endpoints } })
    const first = await report(app, city)
    await worker.deliver()
    await other.stop()
    await write(app, city.resident, first, 'close', 'It is gone.')
    await report(app, city, { answers: { summary: 'Another pothole' } })
    expect((await worker.deliver()).length).toBe(2)
    await worker.poll()
    expect(await worker.pollError()).toContain('ECONNREFUSED')

    await installation.start(other.port)
    await worker.wait()
    expect(await worker.deliver()).toEqual([])
    await worker.poll()

    const issues = await installation.db.prisma.issue.findMany({ orderBy: { id: 'asc' }, include: { comments: true } })
    expect(issues.map(({ summary, status, comments }) => [summary, status, comments.length])).toEqual([
      ['A deep pothole', 'Closed', 1],
      ['Another pothole', 'Open', 0],
    ])
    expect(await ownComments(first)).toEqual(['It is gone.'])
    expect([await worker.pending(), await worker.pollError()]).toEqual([[], null])
  })

  it('wait for the rate limit of the other one, which blocks nothing', async () => {
    const { city } = await installation.createCities({ env: { RATE_LIMIT: '5' } })
    for (let n = 1; n <= 20; n++) await report(app, city, { answers: { summary: `Pothole ${n}` } })
    const worker = createWorker(app, { more: { endpoints } })

    expect([await worker.deliver(), await worker.deliver()]).toEqual([[], []])

    expect(await installation.db.prisma.issue.count()).toBe(5)
    expect([(await worker.pending()).length, await worker.deadLetters()]).toEqual([15, []])
    const { paused_until } = await app.db.prisma.forwardingEndpoint.findFirstOrThrow()
    expect((paused_until?.getTime() ?? Infinity) - Date.now()).toBeLessThan(61_000)
  })

  it('create one issue if the response is lost, also if the issue waits for approval', async () => {
    const { other, city } = await installation.createCities({ holds: true })
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

    const [item, ...others] = await installation.db.prisma.moderationItem.findMany()
    expect(others).toEqual([])
    await worker.poll()
    expect(await ownIssue(id)).toMatchObject({ integrations: { remote_id: null } })
    await approve(other, item!.id)
    await worker.poll()

    expect(await ownIssue(id)).toMatchObject({ integrations: { remote_id: (await installation.findIssue()).id } })
    expect(await installation.db.prisma.issue.count()).toBe(1)
  })
})
