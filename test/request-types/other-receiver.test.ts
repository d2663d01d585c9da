import { beforeEach, describe, expect, it } from 'vitest'

import { createBrowser } from '../helpers/browser.ts'
import { FAR_AWAY, GREEN } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'

const app = useApp()
const at = `lat=${GREEN.lat}&lng=${GREEN.lng}`

let works: number
let county: number
let other: number

/** The organisation takes reports of an unnamed kind. */
async function takeOther(organization: number): Promise<number> {
  const questions = [
    { built_in: 'summary', question: 'What is the problem?', question_type: 'text', response_required: true },
    { built_in: 'description', question: 'Tell us more', question_type: 'textarea' },
  ]
  const id = await app.create.requestType({ title: 'Other', organization, questions })
  await app.db.prisma.requestType.update({ where: { id }, data: { is_other: true } })
  return id
}

beforeEach(async () => {
  county = await app.create.organization({ name: 'County', size: 0.2 })
  works = await app.create.organization({ name: 'Public Works', size: 0.1 })
  await takeOther(county)
  other = await takeOther(works)
})

describe('the type `other` at a point', () => {
  it('is that of the organisation with the smallest area which takes it', async () => {
    const form = async (query: string) => {
      const { body } = await app.as.anonymous.get(`/issues/new?${query}`)
      return (body as { request_types: { id: number | null; is_other: boolean; organization: string | null }[] }).request_types.map(
        ({ id, is_other, organization }) => ({ id, is_other, organization }),
      )
    }
    const inside = await form(at)
    const inCounty = await form(`lat=${GREEN.lat + 0.15}&lng=${GREEN.lng}`)
    const outside = await form(`lat=${FAR_AWAY.lat}&lng=${FAR_AWAY.lng}`)

    expect(inside).toEqual([{ id: other, is_other: true, organization: 'Public Works' }])
    expect(inCounty).toEqual([{ id: expect.any(Number) as number, is_other: true, organization: 'County' }])
    expect(outside).toEqual([{ id: null, is_other: true, organization: null }])
  })

  it('receives reports to `other`, which employees of every organisation that covers the point may acknowledge', async () => {
    const ada = await app.create.user()
    const employee = await app.create.user({ role: 'VerifiedOfficial', memberOf: [{ organization: county }] })
    const { body } = await app.as.user(ada).send('POST', '/api/v2/issues', {
      body: { ...GREEN, address: '1 Elm Street', request_type_id: 'other', answers: { summary: 'Broken bench' } },
    })
    const { id: issue } = body as { id: number }

    const read = await app.as.anonymous.get(`/issues/${issue}`)
    const acknowledged = await app.as
      .user(employee)
      .send('POST', `/api/v2/issues/${issue}/acknowledge`, { body: { comment: 'We come.' } })

    expect(read.body).toMatchObject({ request_type: { id: other, title: 'Other', organization: 'Public Works' } })
    expect(acknowledged.status).toBe(201)
  })
})

describe('the form of a report', () => {
  it('says who receives it before it is sent, and what follows without a receiver', async () => {
    const read = async (query: string) => (await createBrowser(app.fastify).get(`/report?${query}`)).visibleText
    const pothole = await app.create.requestType({ title: 'Pothole', organization: works })
    const farAway = `lat=${FAR_AWAY.lat}&lng=${FAR_AWAY.lng}`

    expect(await read(at)).toContain('Something else Public Works receives this report. Other')
    expect(await read(`${at}&type=${pothole}`)).toContain('Public Works receives this report.')
    expect(await read(`${at}&type=other`)).toContain('Public Works receives this report.')
    expect(await read(`${at}&type=${other}`)).toContain('Public Works receives this report.')
    expect(await read(farAway)).toContain('No organisation is responsible for this yet.')
    expect(await read(`${farAway}&type=other`)).toContain('No organisation is responsible for this yet.')
  })
})
