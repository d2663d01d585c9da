import { expect, it } from 'vitest'

import { createBrowser } from '../../helpers/browser.ts'
import { GREEN } from '../../helpers/factories.ts'
import { useApp } from '../../helpers/use-app.ts'

const app = useApp({ env: { EMERGENCY_NUMBER: '0800 112' } })

it.each(['/report', `/report?lat=${GREEN.lat}&lng=${GREEN.lng}`])('EMERGENCY_NUMBER is a link to call on %s', async (path) => {
  const { text } = await createBrowser(app.fastify).get(path)

  expect(text).toContain('In danger? Call <a href="tel:0800112">0800 112</a>; a report is not read at once.')
})
