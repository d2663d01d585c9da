import { describe, expect, it } from 'vitest'

import { hashPassword } from '../helpers/hash-password.ts'
import { createBrowser, formKeyIn } from '../helpers/browser.ts'
import { GREEN } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { createWriter, hole } from '../open311/writer.ts'
import { createDrafts, PASSWORD } from '../web/report/drafts.ts'

const app = useApp()
const { visitor, report } = createDrafts(app)
const { post } = createWriter(() => app.as.anonymous)

const createReporter = async () => app.create.user({ password_hash: await hashPassword(PASSWORD) })

/** Each returns after a report by this way. */
const ways = {
  api: async () => {
    const body = { ...GREEN, address: '250 Church St', request_type_id: 'other', answers: { summary: 'Broken bench' } }
    await app.as.user(await createReporter()).send('POST', '/api/v2/issues', { body })
  },
  open311: async () => {
    await post('/requests.json', hole, { by: await createReporter() })
  },
  'the page of a user': async () => {
    const { email } = await createReporter()
    const browser = createBrowser(app.fastify)
    await browser.post('/login', { email, password: PASSWORD })
    await report(browser)
  },
  'a draft of a visitor': async () => {
    const { email } = await createReporter()
    const browser = visitor()
    await report(browser)
    await browser.post('/login', { email, password: PASSWORD })
    await browser.post('/report/draft/publish', { form_key: formKeyIn(await browser.get('/report/draft')) })
  },
} as const

describe('the source of an issue', () => {
  it.each([
    ['api', 'api'],
    ['open311', 'open311'],
    ['the page of a user', 'web'],
    ['a draft of a visitor', 'web'],
  ] as const)('is named in downloads: %s', async (way, source) => {
    await ways[way]()

    const { text } = await app.as.anonymous.send('GET', '/exports/issues.geojson')

    const { features } = JSON.parse(text) as { features: { properties: { source: string } }[] }
    expect(features.map(({ properties }) => properties.source)).toEqual([source])
  })
})
