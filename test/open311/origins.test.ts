import { beforeEach, describe, expect, it } from 'vitest'

import type { TestUser } from '../helpers/factories.ts'
import { GREEN } from '../helpers/factories.ts'
import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'

const app = useApp()

let ada: TestUser
let organization: number
let type: number
beforeEach(async () => {
  organization = await app.create.organization({ name: 'Streets' })
  await app.db.prisma.organization.update({ where: { id: organization }, data: { guest_reports: true } })
  type = await app.create.requestType({ organization })
  ada = await app.create.user()
})

async function post(link: string, by: TestUser | undefined) {
  const form = { service_code: String(type), lat: String(GREEN.lat), long: String(GREEN.lng), description: 'A pothole' }
  const client = by ? app.as.user(by) : app.as.anonymous
  const headers = { link, 'content-type': 'application/x-www-form-urlencoded' }
  return client.send('POST', '/open311/v2/requests.json', { headers, body: new URLSearchParams(form).toString() })
}
const origins = async () => (await app.db.prisma.reportOrigins.findMany()).map(({ addresses }) => addresses)

/** An issue that this service has sent to an endpoint. */
async function createForwarded(): Promise<string> {
  const issue = await app.create.issue({ request_type: type })
  await app.db.prisma.forwardedIssue.create({
    data: { issue_id: issue, organization_id: organization, endpoint_url: 'https://b.example' },
  })
  return `${PUBLIC_URL}/issues/${issue}`
}

describe('the header Link of POST requests', () => {
  it('has the issues through which a report came', async () => {
    const link =
      '<https://a.example/issues/5>; rel="via", <https://b.example/issues/6>; title="x"; rel=via, <https://c.example/>; rel="next"'

    const { status } = await post(link, ada)

    expect(status).toBeLessThan(300)
    expect(await origins()).toEqual([['https://a.example/issues/5', 'https://b.example/issues/6']])
  })

  it('counts without a key, because installations may forward to each other as guests', async () => {
    const forwarded = await createForwarded()

    const returned = await post(`<${forwarded}>; rel="via"`, undefined)
    const other = await post('<https://b.example/issues/6>; rel="via"', undefined)

    expect([returned.status, returned.headers['link']]).toEqual([409, `<${forwarded}>; rel="duplicate"`])
    expect(other.status).toBeLessThan(300)
    expect(await origins()).toEqual([['https://b.example/issues/6']])
  })

  it('refuses a report that this service has forwarded, through any number of others', async () => {
    const forwarded = await createForwarded()

    const { status, headers, body } = await post(`<https://b.example/issues/6>; rel="via", <${forwarded}>; rel="via"`, ada)

    expect([status, headers['link']]).toEqual([409, `<${forwarded}>; rel="duplicate"`])
    expect(body).toEqual([{ code: 409, description: 'This report was forwarded from here: see the issue in the header Link.' }])
    expect(await app.db.prisma.issue.count()).toBe(1)
  })

  it('refuses nothing for an issue that was not forwarded', async () => {
    const issue = await app.create.issue({ request_type: type })

    expect((await post(`<${PUBLIC_URL}/issues/${issue}>; rel="via"`, ada)).status).toBeLessThan(300)
  })
})
