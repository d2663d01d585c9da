import { describe, expect, test, vi } from 'vitest'

import { letLoopBeLate } from './late-loop.ts'

import { engine } from '../helpers/database.ts'
import { useApp } from '../helpers/use-app.ts'

/** The delay is looked at every five seconds. */
const SOON = { timeout: 15_000, interval: 250 }

// The embedded database does its work in the loop of the service, which therefore is late now and then without being overloaded.
describe.runIf(engine === 'server')('a service that has more to do than it can', () => {
  const it = useApp({ keepRows: true })
  const ask = () => it.as.nobody.get('/issues', { 'user-agent': '' })

  test('sheds requests to the API with 503 before it looks at them, and is still alive', async () => {
    letLoopBeLate(2_000)

    await vi.waitFor(async () => {
      expect(await ask()).toMatchObject({
        status: 503,
        headers: { 'retry-after': '5' },
        body: { message: 'The service cannot answer just now: try again shortly.' },
      })
    }, SOON)
    expect((await it.as.nobody.send('GET', '/health/live')).status).toBe(200)

    letLoopBeLate(20)
    await vi.waitFor(async () => expect((await ask()).status).toBe(403), SOON)
  })
})
