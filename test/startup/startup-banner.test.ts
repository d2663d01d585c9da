import { describe, expect, it } from 'vitest'

import { startupBanner } from '../../src/startup/startup-banner.ts'
import { GREEN } from '../helpers/factories.ts'
import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'

describe('start-up banner', () => {
  const app = useApp()
  const renderBanner = async () => {
    const text = await startupBanner(app.db, PUBLIC_URL, 4.25)
    return { text, paths: [...text.matchAll(/^ {2}curl 'http:\/\/fixpoint\.test\/api\/v2(.*)'$/gm)].map(([, path = '']) => path) }
  }

  it('suggests URLs that return the places and issues of the database', async () => {
    await app.create.place({ url_name: 'the-county', place_type: 'County', size: 0.05 })
    await app.create.place({ url_name: 'new-haven' })
    const issue = await app.create.issue()

    const { text, paths } = await renderBanner()
    const answers = await Promise.all(paths.map((path) => app.as.anonymous.get(path)))

    expect(text).toMatch(/^Ready after 4\.3 s at http:\/\/fixpoint\.test /)
    expect(paths).toEqual([
      '/issues?place_url=new-haven&sort=rating',
      `/issues?lat=${GREEN.lat}&lng=${GREEN.lng}&zoom=15&sort=distance`,
      `/places?lat=${GREEN.lat}&lng=${GREEN.lng}`,
    ])
    expect(answers.map(({ body }) => body)).toMatchObject([
      { issues: [{ id: issue }] },
      { issues: [{ id: issue }] },
      { places: [{ url_name: 'the-county' }, { url_name: 'new-haven' }] },
    ])
  })

  it('suggests a map if issues have no place, and a place if there are no issues', async () => {
    await app.create.place({ url_name: 'new-haven' })
    const place = await renderBanner()
    await app.create.issue({ at: { lng: 10.123456, lat: 5 } })
    const issue = await renderBanner()

    expect(place.paths[0]).toBe('/issues?place_url=new-haven&sort=rating')
    expect(issue.paths[0]).toBe('/issues?lat=5&lng=10.12346&zoom=12')
  })

  it('includes the mail page if there is one', async () => {
    const texts = await Promise.all([true, false].map((hasMails) => startupBanner(app.db, PUBLIC_URL, 1, { hasMails })))

    expect(texts.map((text) => text.includes('http://fixpoint.test/dev/mails'))).toEqual([true, false])
  })

  it('names the command for a base map if maps have no streets', async () => {
    const texts = await Promise.all([true, false].map((hasStreets) => startupBanner(app.db, PUBLIC_URL, 1, { hasStreets })))

    expect(texts.map((text) => text.includes('npm run basemap -- openfreemap'))).toEqual([false, true])
  })

  it('explains what to do with an empty database', async () => {
    const { text, paths } = await renderBanner()
    const answers = await Promise.all(paths.map((path) => app.as.anonymous.get(path)))

    expect(text).toContain('npm run import loads your own data, npm run seed loads the demo.')
    expect(paths).toEqual(['/issues', '/issues/new?lat=39.7392&lng=-104.9903', '/places?lat=39.7392&lng=-104.9903'])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  })
})
