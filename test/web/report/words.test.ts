import { beforeEach, describe, expect, it } from 'vitest'

import { createBrowser } from '../../helpers/browser.ts'
import { FAR_AWAY, GREEN, square } from '../../helpers/factories.ts'
import { useApp } from '../../helpers/use-app.ts'

const app = useApp()
const at = `lat=${GREEN.lat}&lng=${GREEN.lng}`
const read = (url: string) => createBrowser(app.fastify).get(url)

/** Returns the titles of the matching types, which come before all types. */
const matchesIn = (text: string) =>
  [...(/<section class="matches".*?<\/section>/s.exec(text)?.[0] ?? '').matchAll(/<li><a [^>]+><img[^>]+> ([^<]+)<\/a>/g)].map(
    ([, title]) => title,
  )

describe('the type of a report by words', () => {
  beforeEach(async () => {
    const question = { question: 'Which swing or slide is damaged?', question_type: 'text' }
    await app.create.requestType({ title: 'Pothole', category: 'pothole' })
    await app.create.requestType({ title: 'Street light out', category: 'street-light' })
    await app.create.requestType({ title: 'Playground', category: 'other', questions: [question] })
    await app.create.requestType({ title: 'Árbol caído', category: 'tree' })
  })

  it.each([
    ['a part of a title', 'light', 'Street light out'],
    ['a title with a typing error', 'potole', 'Pothole'],
    ['another word for it', 'lamps are dark', 'Street light out'],
    ['a word in Spanish', 'hay un bache', 'Pothole'],
    ['words in French', 'nid de poule dans la rue', 'Pothole'],
    ['a word without its accent', 'arbol', 'Árbol caído'],
    ['a question', 'swing', 'Playground'],
  ])('is found by %s', async (_kind, words, title) => {
    const { text } = await read(`/report?${at}&${new URLSearchParams({ words }).toString()}`)

    expect(matchesIn(text)[0]).toBe(title)
    expect(text).toContain('All types at this spot')
  })

  it.each(['', '&type=other'])('takes words that PostgreSQL cannot store as other words: %s', async (type) => {
    const { status } = await read(`/report?${at}${type}&words=a%00b%ED%A0%80`)

    expect(status).toBe(200)
  })

  it('keeps the words for the next step, and the tree of all types', async () => {
    const { text } = await read(`/report?${at}&words=light`)

    expect(text).toMatch(
      /<a href="\/report\?lat=41\.3083&amp;lng=-72\.9279&amp;type=\d+&amp;words=light"><img[^>]*> Street light out<\/a>/,
    )
    expect(text).toContain('type=other&amp;words=light"><img')
    expect(text).toMatch(/<form class="search" role="search" method="get" action="\/report">/)
  })

  it.each([['xyzzy'], ['a b c'], ["'; DROP TABLE"], ['\0%_'], ['é'.repeat(300)]])(
    'says so if nothing matches: %j',
    async (words) => {
      const { status, visibleText } = await read(`/report?${at}&${new URLSearchParams({ words }).toString()}`)

      expect(status).toBe(200)
      expect(visibleText).toContain('No type matches these words.')
    },
  )
})

describe('a report outside of the chosen place', () => {
  beforeEach(async () => {
    await app.create.place({ name: 'New Haven', url_name: 'new-haven', boundary: square(GREEN, 0.02) })
    await app.create.place({ name: 'Elsewhere', url_name: 'elsewhere', boundary: square(FAR_AWAY, 0.02) })
  })
  const far = `lat=${FAR_AWAY.lat}&lng=${FAR_AWAY.lng}`

  it('is said at once, with links to the right place and to the general report', async () => {
    const { status, text, visibleText } = await read(`/places/new-haven/report?${far}`)

    expect(status).toBe(200)
    expect(visibleText).toContain('This spot is not in New Haven.')
    const query = far.replace('&', '&amp;')
    expect(text).toContain(`<a href="/places/elsewhere/report?${query}">report it in Elsewhere</a>`)
    expect(text).toContain(`<a href="/report?${query}">report it here without a place</a>`)
    expect(text).toContain('<a href="/places/new-haven/report">choose another spot in New Haven</a>')
  })

  it('is said before the login, and where no place is', async () => {
    const typed = await read(`/places/new-haven/report?${far}&type=other`)
    const nowhere = await read('/places/new-haven/report?lat=0&lng=0')

    expect(typed.visibleText).toContain('This spot is not in New Haven.')
    expect(nowhere.visibleText).toContain('This spot is not in New Haven. You can also report it here without a place')
  })

  it('is not said inside, nor for the general report', async () => {
    const texts = [await read(`/places/new-haven/report?${at}`), await read(`/report?${far}`)]

    expect(texts.map(({ text }) => text.includes('id="outside"'))).toEqual([false, false])
  })
})
