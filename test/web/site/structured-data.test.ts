import { describe, expect, it } from 'vitest'

import { createBrowser } from '../../helpers/browser.ts'
import { createLoggedInBrowser } from '../../helpers/logged-in-browser.ts'
import { useApp } from '../../helpers/use-app.ts'

const app = useApp()

type Data = Record<string, unknown>
const dataIn = (page: string) =>
  [...page.matchAll(/<script type="application\/ld\+json">([^]*?)<\/script>/g)].map(([, json = '']) => JSON.parse(json) as Data)
const metaIn = (page: string) =>
  Object.fromEntries(
    [...page.matchAll(/<meta (?:property|name)="((?:og|twitter):[^"]*)" content="([^"]*)">/g)].map(([, name = '', content]) => [
      name,
      content,
    ]),
  )
const read = async (path: string, language = 'en') =>
  (await createBrowser(app.fastify).get(path, { 'accept-language': language })).text

describe('structured data', () => {
  it('describes an issue, its place, its comments and its breadcrumbs', async () => {
    const reporter = await app.create.user({ name: 'Ada Park' })
    await app.create.place({ name: 'New Haven', url_name: 'new-haven' })
    const id = await app.create.issue({ summary: 'Pothole', description: 'Deep.', address: '250 Church St', reporter })
    await app.create.comment({ on: id, by: reporter, comment: 'Still there.' })

    const [posting, breadcrumbs] = dataIn(await read(`/issues/${id}`))

    expect(posting).toMatchObject({
      '@context': 'https://schema.org',
      '@type': 'DiscussionForumPosting',
      url: `http://fixpoint.test/issues/${id}`,
      headline: 'Pothole',
      text: 'Deep.',
      author: { '@type': 'Person', name: 'Ada Park', url: `http://fixpoint.test/users/${reporter.id}` },
      publisher: { '@type': 'Organization', name: 'Fixpoint' },
      datePublished: '2026-01-01T00:00:00Z',
      creativeWorkStatus: 'Open',
      contentLocation: { address: '250 Church St', geo: { latitude: 41.3083, longitude: -72.9279 } },
      commentCount: 1,
      comment: [{ '@type': 'Comment', text: 'Still there.' }],
    })
    expect(breadcrumbs).toMatchObject({
      '@type': 'BreadcrumbList',
      itemListElement: [
        { position: 1, name: 'Places', item: 'http://fixpoint.test/places' },
        { position: 2, name: 'New Haven', item: 'http://fixpoint.test/places/new-haven' },
        { position: 3, name: 'Pothole', item: `http://fixpoint.test/issues/${id}` },
      ],
    })
  })

  it('describes a question with its accepted answer, and the breadcrumbs of a place', async () => {
    const { id: place } = await app.create.place({ name: 'New Haven', url_name: 'new-haven' })
    const question = await app.create.question({ place, question: 'Where is the depot?' })
    await app.create.answer({ on: question, answer: 'Here.', accepted_at: '2026-01-05' })
    await app.create.answer({ on: question, answer: 'There.' })

    const [page] = dataIn(await read(`/questions/${question}`))
    const [breadcrumbs] = dataIn(await read('/places/new-haven'))

    expect(page).toMatchObject({
      '@type': 'QAPage',
      mainEntity: {
        name: 'Where is the depot?',
        answerCount: 2,
        acceptedAnswer: { text: 'Here.' },
        suggestedAnswer: [{ text: 'There.' }],
      },
    })
    expect(breadcrumbs).toMatchObject({ '@type': 'BreadcrumbList' })
  })

  it('cannot end its element, and gives the texts of users unchanged', async () => {
    const summary = '</script><script>alert(1)</script><!-- & \u2028 "\\'
    const id = await app.create.issue({ summary })

    const text = await read(`/issues/${id}`)

    expect(dataIn(text)[0]).toMatchObject({ headline: summary })
    expect(text).not.toContain('<script>alert')
    expect(text).not.toContain('\u2028"')
  })

  it('is absent from pages that are not public, and names no anonymous reporter', async () => {
    const reporter = await app.create.user({ name: 'Shy Reporter' })
    const anonymous = await app.create.issue({ reporter, anonymous: true })
    const pending = await app.create.issue({ reporter, moderation_state: 'held' })

    const own = await (await createLoggedInBrowser(app, reporter)).get(`/issues/${pending}`)

    expect(dataIn(await read(`/issues/${anonymous}`))[0]).toMatchObject({ author: { name: 'An anonymous user' } })
    expect(dataIn(own.text)).toEqual([])
    expect(own.text).toContain('<meta name="robots" content="noindex">')
  })
})

describe('Open Graph', () => {
  it('has the title, description, address and language of the page', async () => {
    const id = await app.create.issue({ summary: 'Pothole', description: 'Deep.' })

    const [english, spanish] = [metaIn(await read(`/issues/${id}`)), metaIn(await read(`/issues/${id}`, 'es'))]

    expect(english).toEqual({
      'og:site_name': 'Fixpoint',
      'og:type': 'website',
      'og:locale': 'en_GB',
      'og:title': 'Pothole',
      'og:description': 'Open · Deep.',
      'og:url': `http://fixpoint.test/issues/${id}`,
      'twitter:card': 'summary',
    })
    expect(spanish['og:locale']).toBe('es_LA')
  })
})
