import { describe, expect, it } from 'vitest'

import { hashPassword } from '../../helpers/hash-password.ts'
import { createBrowser } from '../../helpers/browser.ts'
import { createLoggedInBrowser } from '../../helpers/logged-in-browser.ts'
import { useApp } from '../../helpers/use-app.ts'
import { createModerationScenario } from '../../moderation/scenario.ts'

const app = useApp()

const linksIn = (page: string) =>
  [...(/<nav aria-label="Main">[^]*?<\/nav>/.exec(page)?.[0] ?? '').matchAll(/<a[^>]* href="([^"]*)"|<a href="([^"]*)"/g)].map(
    ([, one, other]) => one ?? other,
  )

const visible = ['/report', '/']
const pages = ['/places', '/questions']
const visitor = ['/login', '/register']
const own = ['/account/reports', '/account/following', '/account/watch-areas', '/account']

describe('the menu of each page', () => {
  it('has what the caller may open', async () => {
    const organization = await app.create.organization()
    const people = [
      await app.create.user(),
      await app.create.user({ memberOf: [{ organization }] }),
      await app.create.user({ memberOf: [{ organization, role: 'moderator' }] }),
      await app.create.user({ role: 'Admin' }),
    ]

    const loaded = [await createBrowser(app.fastify).get('/places')]
    for (const person of people) loaded.push(await (await createLoggedInBrowser(app, person)).get('/places'))

    // The second list of pages is the menu of a phone.
    expect(loaded.map(({ text }) => linksIn(text))).toEqual([
      [...visible, ...pages, ...visitor, ...pages, ...visitor],
      [...visible, ...pages, ...pages, ...own],
      [...visible, ...pages, '/work', ...pages, '/work', ...own],
      [...visible, ...pages, '/work', '/moderation', ...pages, '/work', '/moderation', ...own],
      [...visible, ...pages, '/work', '/moderation', ...pages, '/work', '/moderation', ...own, '/ops', '/ops/queues/'],
    ])
  })

  it('offers visitors of an unknown address to log in, and users their account', async () => {
    const ada = await createLoggedInBrowser(app, await app.create.user())

    const [visitor, user] = [await createBrowser(app.fastify).get('/unknown'), await ada.get('/unknown')]

    expect([visitor.status, user.status]).toEqual([404, 404])
    expect(linksIn(visitor.text)).toEqual(expect.arrayContaining(['/login', '/register']))
    expect(linksIn(user.text)).toContain('/account')
  })

  it('is repeated at the end of each page, with the pages about the site', async () => {
    const { text } = await createBrowser(app.fastify).get('/places')

    const footer = /<p class="about">[^]*?<\/p>/.exec(text)?.[0] ?? ''
    expect([...footer.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)).toEqual([
      ...pages,
      '/data',
      '/about',
      '/privacy',
      '/terms',
    ])
  })

  it('shows moderators the number of items that wait for a decision', async () => {
    const moderation = createModerationScenario(app)
    const browser = await createLoggedInBrowser(app, await moderation.moderator('Mia Hill'))
    const none = await browser.get('/places')
    const resident = await app.create.user()
    await moderation.createPendingReport(resident)

    const one = await browser.get('/places')
    const account = await browser.get('/account')
    const other = await (await createLoggedInBrowser(app, resident)).get('/places')

    expect(none.text).toContain('<a class="wide" href="/moderation">Moderation</a>')
    expect(one.text).toContain(
      '<a class="wide" href="/moderation">Moderation <span class="number" title="1 item to decide">1</span></a>',
    )
    expect(account.text).toContain('title="1 item to decide"')
    expect(other.text).not.toContain('/moderation')
  })
})

describe('/questions', () => {
  it('lists the cities with most public questions first, each with its most popular one', async () => {
    const denver = await app.create.place({ name: 'Denver', url_name: 'denver' })
    const austin = await app.create.place({ name: 'Austin', url_name: 'austin' })
    await app.create.place({ name: 'Boulder', url_name: 'boulder' })
    await app.create.place({ name: 'Denver County', url_name: 'denver-county', place_type: 'County' })
    await app.create.question({ place: denver.id, question: 'Where is the depot?' })
    await app.create.question({ place: austin.id, question: 'Insult', moderation_state: 'held' })

    const all = await createBrowser(app.fastify).get('/questions')
    const found = await createBrowser(app.fastify).get('/questions?search=BOUL')
    const none = await createBrowser(app.fastify).get('/questions?search=paris')

    const cities = (page: string) => [...page.matchAll(/<h3><a href="([^"]*)">([^<]*)/g)].map(([, href, name]) => [href, name])
    expect(cities(all.text)).toEqual([
      ['/places/denver/questions', 'Denver, Some County, CT'],
      ['/places/austin/questions', 'Austin, Some County, CT'],
      ['/places/boulder/questions', 'Boulder, Some County, CT'],
    ])
    expect(all.visibleText).toContain('1 question “Where is the depot?”')
    expect(all.text).not.toContain('Insult')
    expect(cities(found.text)).toEqual([['/places/boulder/questions', 'Boulder, Some County, CT']])
    expect(none.visibleText).toContain('No city has that in its name.')
  })
})

describe('the login', () => {
  it('leads staff to their work', async () => {
    const organization = await app.create.organization()
    const eve = await app.create.user({ password_hash: await hashPassword('correct horse'), memberOf: [{ organization }] })

    const answer = await createBrowser(app.fastify).post('/login', { email: eve.email, password: 'correct horse' })

    expect(answer.headers['location']).toBe('/work')
  })
})
