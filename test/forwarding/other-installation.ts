import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, onTestFinished } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { createEndpointClient, type EndpointClient } from '../../src/georeport/endpoint-client.ts'
import { openTestDatabase, resetDatabase } from '../helpers/database.ts'
import { createFactories, type TestUser } from '../helpers/factories.ts'
import type { TestApp } from '../helpers/use-app.ts'
import { appOn } from '../http/app-on.ts'
import { createCity } from './city.ts'

/** Opens a second database for another installation of this service, the endpoint of a city of the app. */
export function useOtherInstallation(app: TestApp) {
  let db: TestApp['db']
  beforeAll(async () => {
    db = await openTestDatabase()
  })
  beforeEach(() => resetDatabase(db))
  afterAll(() => db.close())

  /** Starts the other installation on a port of this machine. */
  async function start(port = 0, env: Record<string, string> = {}) {
    const { fastify, services, anonymous } = await appOn(db, {
      PUBLIC_URL: 'https://other.test',
      TRUST_PROXY: '127.0.0.1',
      ...env,
    })
    await fastify.listen({ port, host: '127.0.0.1' })
    onTestFinished(() => fastify.close())
    const listening = (fastify.server.address() as AddressInfo).port
    return { port: listening, url: `http://127.0.0.1:${listening}/open311/v2`, services, anonymous, stop: () => fastify.close() }
  }

  return {
    get db() {
      return db
    },
    start,
    /** Creates a city whose organisation forwards to the other installation, where an employee has a token. */
    async createCities({ holds = false, env = {}, settings = {} } = {}) {
      const create = createFactories(db)
      const organization = await create.organization({ name: 'County Roads' })
      const type = await create.requestType({
        title: 'Pothole',
        organization,
        questions: [{ question: 'How wide is it?', question_type: 'select', select_values: [{ key: 'wide', name: 'Wide' }] }],
      })
      if (holds) await db.execute(sql`UPDATE organizations o SET hold_everything = TRUE WHERE o.id = ${organization}`)
      const employee = await create.user({ name: 'Otto Other', memberOf: [{ organization, role: 'manager' }] })
      await db.execute(sql`UPDATE users u SET created_at = now() - interval '2 days' WHERE u.id = ${employee.id}`)
      const other = await start(0, env)
      const city = await createCity(app, other, {
        ...{ jurisdiction_id: 'County Roads', api_key: employee.token, default_service_code: String(type) },
        ...settings,
      })
      /** Comments on an issue of the other installation, or changes its status. Returns the status of the response. */
      const act = async (issue: number, action: string, comment: string, by: TestUser = employee) => {
        const headers = { authorization: `Bearer ${by.token}` }
        return (await other.anonymous.send('POST', `/api/v2/issues/${issue}/${action}`, { headers, body: { comment } })).status
      }
      return { other, city, employee, act }
    },
    async findIssue() {
      const issue = await db.prisma.issue.findFirstOrThrow({ include: { comments: { orderBy: { id: 'asc' } } } })
      return { ...issue, comments: issue.comments.map(({ comment }) => comment) }
    },
  }
}

/** Sends requests as through a proxy of the other installation that ends TLS, because keys are accepted over HTTPS only. */
const throughProxy = createEndpointClient({ allow: ['127.0.0.0/8'] })
export const endpoints: EndpointClient = {
  send: ({ headers, ...request }, signal) =>
    throughProxy.send({ ...request, headers: { ...headers, 'x-forwarded-proto': 'https' } }, signal),
}
