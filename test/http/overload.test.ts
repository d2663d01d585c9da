import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'

import { engine } from '../helpers/database.ts'
import { useApp } from '../helpers/use-app.ts'

/** Keeps the event loop busy, so that nothing else comes to its turn. */
function work(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

// The embedded database does its work in the loop of the service, which therefore is late now and then without being overloaded.
describe.runIf(engine === 'server')('a service that has more to do than it can', () => {
  const it = useApp({ keepRows: true })

  test('sheds requests to the API with 503 before it looks at them, and is still alive', async () => {
    for (const ms of [3_500, 3_500, 3_500]) {
      work(ms)
      await setImmediate()
    }

    const [shed, live] = [await it.as.nobody.get('/issues', { 'user-agent': '' }), await it.as.nobody.send('GET', '/health/live')]

    expect(shed).toMatchObject({
      status: 503,
      headers: { 'retry-after': '5' },
      body: { message: 'The service cannot answer just now: try again shortly.' },
    })
    expect(live.status).toBe(200)
  })
})
