import { onTestFinished } from 'vitest'

import { type FakeEndpoint, openFakeEndpoint } from './open-fake-endpoint.ts'

/** Opens a fake endpoint that is stopped after the test. */
export async function startFakeEndpoint(...options: Parameters<typeof openFakeEndpoint>): Promise<FakeEndpoint> {
  const endpoint = await openFakeEndpoint(...options)
  onTestFinished(endpoint.stop)
  return endpoint
}
