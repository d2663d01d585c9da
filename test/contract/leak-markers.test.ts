import { beforeEach, describe, expect, it } from 'vitest'

import type { TestUser } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { basic, bearer } from '../http/app-on.ts'
import { checkLeaks } from './leak-markers.ts'

/* The tests create leaks; only callers without access may get an alarm. */

const app = useApp()
const ANSWER = 'The key is under the mat'

let people: Record<'ada' | 'bea' | 'resident' | 'employee' | 'elsewhere' | 'admin', TestUser>
let issue: number

beforeEach(async () => {
  const [works, parks] = [await app.create.organization(), await app.create.organization()]
  people = {
    ada: await app.create.user({ name: 'Ada Unnamed' }),
    bea: await app.create.user({ name: 'Bea Wellknown' }),
    resident: await app.create.user(),
    employee: await app.create.user({ memberOf: [{ organization: works }] }),
    elsewhere: await app.create.user({ memberOf: [{ organization: parks, role: 'moderator' }] }),
    admin: await app.create.user({ role: 'Admin' }),
  }
  const request_type = await app.create.requestType({ organization: works })
  issue = await app.create.issue({ reporter: people.ada, anonymous: true, request_type })
  await app.create.formAnswer({ on: issue, question: 'How do we get in?', answer: ANSWER, answer_kept_private: true })
  await app.create.issue({ id: 70, reporter: people.bea, anonymous: true, request_type })
  await app.create.issue({ id: 71, reporter: people.bea, request_type })
})

interface Leak {
  readonly method?: string
  readonly url?: string
  readonly body?: unknown
  readonly statusCode?: number
  readonly payload: string
}

async function alarmsFor({ method = 'GET', url = '/api/v2/issues', body, statusCode = 200, payload }: Leak): Promise<string[]> {
  const callers: [string, Record<string, string>][] = [
    ['anonymous', {}],
    ...Object.entries(people).map(([name, person]): [string, Record<string, string>] => [name, bearer(person.token)]),
  ]
  const alarms: string[] = []
  for (const [name, headers] of callers) {
    const answer = { statusCode, headers: {}, payload }
    await checkLeaks(app.fastify, { method, url, headers, body }, answer).catch((error: unknown) => {
      if (!String(error).includes('leaks a secret')) throw error
      alarms.push(name)
    })
  }
  return alarms
}

const allCallers = ['anonymous', 'ada', 'bea', 'resident', 'employee', 'elsewhere', 'admin']
const strangers = ['anonymous', 'ada', 'bea', 'resident', 'elsewhere']

describe('checkLeaks', () => {
  it('reports a private answer to all callers but staff of the organisation, even after a request that sent it', async () => {
    expect(await alarmsFor({ payload: `{"answer":"${ANSWER}"}` })).toEqual(strangers)
    expect(await alarmsFor({ method: 'POST', statusCode: 201, body: { answers: { 1: ANSWER } }, payload: ANSWER })).toEqual(
      strangers,
    )
    expect(await alarmsFor({ method: 'POST', statusCode: 422, body: { answers: { 1: ANSWER } }, payload: ANSWER })).toEqual([])
  })

  it('finds a private answer escaped in JSON and in HTML', async () => {
    await app.create.formAnswer({
      on: issue,
      question: 'Who?',
      answer: `Ask for "Bob" at O'Brien & Sons`,
      answer_kept_private: true,
    })

    expect(await alarmsFor({ payload: JSON.stringify({ answer: `Ask for "Bob" at O'Brien & Sons` }) })).toEqual(strangers)
    expect(await alarmsFor({ payload: '<p>Ask for &quot;Bob&quot; at O&#39;Brien &amp; Sons</p>' })).toEqual(strangers)
  })

  it('reports the assignee to all but staff where the organisation does not show its people', async () => {
    const hidden = await app.create.organization({ shows_people: false })
    const { id } = await app.create.user({ memberOf: [{ organization: hidden }] })

    expect(await alarmsFor({ payload: `{"assignee_id":${id}}` })).toEqual(['anonymous', 'ada', 'bea', 'resident'])
    expect(await alarmsFor({ payload: `{"assignee":{"id":${id}}}` })).toEqual(['anonymous', 'ada', 'bea', 'resident'])
    expect(await alarmsFor({ payload: `{"assignee_id":${people.employee.id}}` })).toEqual([])
  })

  it('reports the key of an endpoint to all callers, also to the one who sent it', async () => {
    const organization = await app.create.organization()
    const owner = await app.create.user({ memberOf: [{ organization, role: 'owner' }] })
    const body = { forwarding: { endpoint: 'https://311.example.org', api_key: 'a-key-of-a-city', default_service_code: '1' } }

    await app.as.user(owner).send('PUT', `/api/v2/organizations/${organization}`, { body, headers: { 'if-match': '*' } })

    expect(await alarmsFor({ payload: '{"api_key":"a-key-of-a-city"}' })).toEqual(allCallers)
    expect(await alarmsFor({ method: 'POST', body, payload: '<input value="a-key-of-a-city">' })).toEqual(allCallers)
  })

  it('reports a token and a session that an earlier response created', async () => {
    const token = `fxp_${'x'.repeat(43)}`
    const once = {
      statusCode: 201,
      headers: { 'set-cookie': `fixpoint_session=${'y'.repeat(43)}; Path=/` },
      payload: JSON.stringify({ token }),
    }
    await checkLeaks(app.fastify, { method: 'POST', url: '/api/v2/tokens', headers: {}, body: undefined }, once)

    expect(await alarmsFor({ payload: JSON.stringify({ tokens: [{ token }] }) })).toEqual(allCallers)
    expect(await alarmsFor({ payload: 'y'.repeat(43) })).toEqual(allCallers)
  })

  it('reports a private answer that came with a report', async () => {
    const type = await app.create.requestType({
      questions: [{ question: 'Who?', question_type: 'text', answer_kept_private: true }],
    })
    const [question] = await app.db.prisma.requestTypeQuestion.findMany({ where: { request_type_id: type } })
    const report = { lat: 41.3083, lng: -72.9279, address: '250 Church St', request_type_id: type }
    const body = { ...report, answers: { [question?.id ?? 0]: 'The man next door' } }

    await app.as.user(people.ada).send('POST', '/api/v2/issues', { body })

    expect(await alarmsFor({ payload: 'The man next door' })).toEqual([...strangers.slice(0, 4), 'employee', 'elsewhere'])
  })

  it.each(['/api/v2/emails', '/account', '/password/forgotten', '/api/v2/users/1'])(
    'reports an address to all callers but its owner: %s',
    async (url) => {
      const payload = `<p>${people.ada.email}</p>`

      expect(await alarmsFor({ url, payload })).toEqual(allCallers.filter((name) => name !== 'ada'))
      await expect(
        checkLeaks(
          app.fastify,
          { method: 'GET', url, headers: basic(people.bea.email, 'x'), body: undefined },
          { statusCode: 200, headers: {}, payload },
        ),
      ).rejects.toThrow(people.ada.email)
    },
  )

  it('reports a token to all callers, also in a header', async () => {
    expect(await alarmsFor({ payload: people.ada.token })).toEqual(allCallers)
    await expect(
      checkLeaks(
        app.fastify,
        { method: 'GET', url: '/', headers: {}, body: undefined },
        { statusCode: 302, headers: { location: `/?access_token=${people.ada.token}` }, payload: '' },
      ),
    ).rejects.toThrow('token')
  })

  it('reports the name of a user with only anonymous reports to all callers but staff and the user', async () => {
    const strangersToAda = strangers.filter((name) => name !== 'ada')

    expect(await alarmsFor({ url: '/', payload: 'Reported by Ada Unnamed.' })).toEqual(strangersToAda)
    expect(await alarmsFor({ url: `/users/${people.ada.id}`, payload: 'Ada Unnamed' })).toEqual([])
    expect(await alarmsFor({ url: '/', payload: 'Ada Unnamedsson' })).toEqual([])
  })

  it('reports the name of a publicly known user only in responses about the anonymous issue', async () => {
    expect(await alarmsFor({ url: '/', payload: 'Bea Wellknown' })).toEqual([])
    expect(await alarmsFor({ url: '/issues/70', payload: 'Bea Wellknown' })).toEqual(strangers.filter((name) => name !== 'bea'))
    expect(await alarmsFor({ url: '/issues/71', payload: 'Bea Wellknown' })).toEqual([])
  })

  it('reports the reporter id of an anonymous issue at any depth to all callers but staff', async () => {
    const listing = (id: number, reporter: number) => JSON.stringify({ issues: [{ issue: { id, reporter: { id: reporter } } }] })

    expect(await alarmsFor({ payload: listing(70, people.bea.id) })).toEqual(strangers)
    expect(await alarmsFor({ payload: listing(70, 0) })).toEqual([])
    expect(await alarmsFor({ payload: listing(71, people.bea.id) })).toEqual([])
  })
})
