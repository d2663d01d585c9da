import { describe, expect, it } from 'vitest'

import { createBrowser } from '../../helpers/browser.ts'
import { GREEN } from '../../helpers/factories.ts'
import { useApp } from '../../helpers/use-app.ts'

const at = { lat: String(GREEN.lat), lng: String(GREEN.lng), request_type_id: 'other' }
const report = { ...at, address: '1 Elm Street', 'answers[summary]': 'Pothole' }

describe('the rate limit of forms', () => {
  const app = useApp({ env: { RATE_LIMIT: '3' } })

  it('leaves a resident alone whose client address is blocked at the API', async () => {
    const address = '192.0.2.1'
    const browser = createBrowser(app.fastify, { address })
    const calls = []
    for (let n = 0; n < 15; n++) calls.push((await browser.get('/api/v2/issues')).status)

    const sent = await browser.post('/report', report)
    const mailed = await browser.post('/report/draft/mail', { email: 'ada@example.org' })

    expect([calls[0], calls[3], calls[14]]).toEqual([200, 429, 403])
    expect([sent.status, sent.headers['location']]).toEqual([303, '/report/draft'])
    expect([mailed.status, mailed.headers['location']]).toEqual([303, '/report/draft?mail=requested'])
  })

  it('is as high as that of the API, and does not count there', async () => {
    const browser = createBrowser(app.fastify, { address: '192.0.2.2' })
    const sent = []
    for (let n = 0; n < 4; n++) sent.push((await browser.post('/report', report)).status)

    expect(sent).toEqual([303, 303, 303, 429])
    expect((await browser.get('/api/v2/issues')).status).toBe(200)
  })
})
