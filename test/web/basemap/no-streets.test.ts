import { describe, expect, it } from 'vitest'

import { createLoggedInBrowser } from '../../helpers/logged-in-browser.ts'
import { type TestApp, useApp } from '../../helpers/use-app.ts'

const COMMAND = 'npm run basemap -- openfreemap'

/** Returns the pages on which administrators and others may read that the maps have no streets. */
async function openPages(app: TestApp) {
  const admin = await createLoggedInBrowser(app, await app.create.user({ role: 'Admin' }))
  const resident = await createLoggedInBrowser(app, await app.create.user())
  const pages = await Promise.all([admin.get('/'), admin.get('/ops'), resident.get('/'), app.as.anonymous.send('GET', '/')])
  return pages.map(({ text }) => text.includes(COMMAND))
}

describe('maps without streets', () => {
  const app = useApp()

  it('name the command for a base map to administrators alone, on the map and on /ops', async () => {
    expect(await openPages(app)).toEqual([true, true, false, false])
  })

  it('do not with the streets of the demo', async () => {
    const { id } = await app.create.place()
    await app.db.prisma.place.update({ where: { id }, data: { import_key: 'demo:denver' } })

    expect(await openPages(app)).toEqual([false, false, false, false])
  })
})

describe('maps with a base map', () => {
  const app = useApp({ env: { BASEMAP_STYLE_URL: 'http://127.0.0.1:1/style.json' } })

  it('name no command', async () => {
    expect(await openPages(app)).toEqual([false, false, false, false])
  })
})
