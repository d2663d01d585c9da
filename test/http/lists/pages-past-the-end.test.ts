import { beforeAll, describe, expect, it } from 'vitest'

import type { Reference } from '../../contract/openapi-responses.ts'
import type { TestUser } from '../../helpers/factories.ts'
import { useApp } from '../../helpers/use-app.ts'

const app = useApp({ keepRows: true })
let admin: TestUser
let lists: string[]

beforeAll(async () => {
  admin = await app.create.user({ role: 'Admin', share_location: true })
  const { id: of } = await app.create.place({ url_name: 'denver' })
  const issue = await app.create.issue({ reporter: admin })
  await app.create.comment({ on: issue, by: admin })
  await app.create.question({ place: of })
  await app.create.watchArea({ of: admin })
  await app.create.organization()
  const webhook = { user_id: admin.id, url: 'https://example.org', query: '', kinds: ['gone'], signature: 'v1', secret: 'whsec_' }
  await app.db.prisma.webhook.create({ data: { id: issue, ...webhook } })
  const { paths } = app.fastify.swagger() as unknown as Reference
  const values: Record<string, string> = { id: String(issue), place_url_name: 'denver' }
  lists = Object.entries(paths).flatMap(([path, { get }]) => {
    const { parameters = [] } = (get ?? {}) as { parameters?: { name: string }[] }
    const names = parameters.map(({ name }) => name)
    const point = path.endsWith('/users') || path.endsWith('/places') ? '&lat=1&lng=1' : ''
    return names.includes('page')
      ? [`${path.replace(/\{(\w+)\}/, (_, name: string) => values[name] ?? '')}?page=`, point].join('PAGE')
      : []
  })
})

function rowsIn(text: string): unknown[] {
  if (text.startsWith('<?xml')) return text.match(/<entry>/g) ?? []
  const body = JSON.parse(text) as { features?: unknown[] }
  const rows = body.features ?? Object.values(body).find((value) => Array.isArray(value))
  return rows ?? [null]
}

describe('pages past the end of a list', () => {
  it('are tested for all lists', () => {
    expect(lists.length).toBeGreaterThanOrEqual(8)
  })

  it.each(['9007199254740991', '9007199254740992', '99999999999999999999', '9'.repeat(400)])('are empty: %s', async (page) => {
    const answers = await Promise.all(lists.map((list) => app.as.user(admin).send('GET', list.replace('PAGE', page))))

    const found = answers.map(({ status, text }) => [status, rowsIn(text)])
    expect(found).toEqual(lists.map(() => [200, []]))
  })

  it('count as the first page below 1', async () => {
    const answers = await Promise.all(
      ['-99999999999999999999', `-${'9'.repeat(400)}`].map((page) => app.as.anonymous.get(`/issues?page=${page}`)),
    )

    expect(answers.map(({ text }) => rowsIn(text).length)).toEqual([1, 1])
  })
})
