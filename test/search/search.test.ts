import { beforeAll, describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { addWords, countWords } from '../../src/search/dictionary.ts'
import { issuesUrl, fetchAllIds, fetchTitles } from '../helpers/issue-list.ts'
import { useApp } from '../helpers/use-app.ts'
import { queryRows } from '../helpers/query-rows.ts'

describe('search of GET /issues', () => {
  const app = useApp({ keepRows: true })

  beforeAll(async () => {
    await app.create.issue({ summary: 'Pothole', description: 'Deep, cars swerve around it', address: '1437 Larimer St, Denver' })
    await app.create.issue({ summary: 'Road/Sidewalk', description: 'Cracked slabs', address: '12-34B Church-Street' })
    await app.create.issue({ summary: 'Café terrace', description: 'Déchets near the résumé office', address: 'Rue d’Été 5' })
    await app.create.issue({ summary: 'Streetlight', description: "It doesn't burn; “dark” at night — every night", address: null })
    await app.create.issue({ summary: 'УЛИЦА', description: '道路 damaged', address: 'user_name@example.org' })
    await app.create.issue({ summary: 'Held pothole', moderation_state: 'held' })
    await app.create.issue({ summary: 'Archived pothole', status: 'Archived' })
    await countWords(app.db)
  })

  const found = async (search: string) => (await fetchTitles(app.as.anonymous, { search })).toSorted()

  it.each([
    ['a word of the summary', 'pothole', ['Pothole']],
    ['a word of the description', 'slabs', ['Road/Sidewalk']],
    ['a word of the address', 'larimer', ['Pothole']],
    ['a house number', '1437', ['Pothole']],
    ['the beginning of a word', 'poth', ['Pothole']],
    ['the beginning of a house number', '143', ['Pothole']],
    ['another form of a word', 'potholes', ['Pothole']],
    ['a word if the text has another form of it', 'swerving', ['Pothole']],
    ['capitals', 'POTHOLE', ['Pothole']],
    ['capitals of other scripts', 'улица', ['УЛИЦА']],
    ['a script without blanks', '道路', ['УЛИЦА']],
    ['a text with accents by words without', 'cafe dechets', ['Café terrace']],
    ['a text without accents by a word with accents', 'Pothôlé', ['Pothole']],
    ['decomposed accents', 'cafe\u0301', ['Café terrace']],
    ['a mistyped word', 'potholle', ['Pothole']],
    ['a word with two swapped letters', 'sidewlak', ['Road/Sidewalk']],
    ['punctuation between words', 'Road/Sidewalk', ['Road/Sidewalk']],
    ['only the second of two words with a slash', 'sidewalk', ['Road/Sidewalk']],
    ['a hyphen', 'church-street', ['Road/Sidewalk']],
    ['a house number with a letter', '34b', ['Road/Sidewalk']],
    ['an apostrophe', "doesn't", ['Streetlight']],
    ['a typographic apostrophe', 'd’été', ['Café terrace']],
    ['quotation marks', '"dark"', ['Streetlight']],
    ['a dash', 'night—every', ['Streetlight']],
    ['an e-mail address', 'user_name@example.org', ['УЛИЦА']],
    ['several words in any order', 'denver deep pothole', ['Pothole']],
  ])('finds %s', async (_, search, titles) => {
    expect(await found(search)).toEqual(titles)
  })

  it.each([
    ['one of several words is missing', 'pothole church'],
    ['nothing is like the word', 'xylophone'],
    ['a short word in the middle of a longer one', 'hol'],
    ['there is only punctuation', '!?/&|*'],
    ['there is only a backslash', '\\'],
    ['there are only quotes', `''""`],
  ])('finds nothing if %s', async (_, search) => {
    expect(await found(search)).toEqual([])
  })

  it.each([
    ['operators of a search in the database', 'pothole & !deep | (x <-> y):*AB'],
    ['an SQL statement', "pothole'; DROP TABLE issues; --"],
    ['a backslash before a quote', "pothole\\'"],
    ['wildcards', 'pothole%_*'],
    ['the longest text', `pothole ${'x'.repeat(192)}`],
  ])('treats %s as words', async (_, search) => {
    const { status } = await app.as.anonymous.get(issuesUrl({ search }))

    expect(status).toBe(200)
    expect(await found('pothole')).toEqual(['Pothole'])
  })

  it('finds a word next to operators, wildcards and quotes', async () => {
    expect(await found("pothole':*")).toEqual(['Pothole'])
    expect(await found('!pothole')).toEqual(['Pothole'])
    expect(await found('(pothole) & deep')).toEqual(['Pothole'])
  })

  it('does not filter if the search is blank', async () => {
    const everything = await found('  ')

    expect(everything).toHaveLength(5)
    expect(await found('')).toEqual(everything)
  })

  it('finds archived issues if requested, and never issues pending review', async () => {
    const titles = await fetchTitles(app.as.anonymous, { search: 'pothole', status: 'open,archived' })

    expect(titles.toSorted()).toEqual(['Archived pothole', 'Pothole'])
  })

  it('accepts ten words and returns 422 for eleven', async () => {
    const ten = 'deep cars swerve around it larimer st denver 1437 pothole'

    const { status, body } = await app.as.anonymous.get(issuesUrl({ search: `${ten} street` }))

    expect(await found(ten)).toEqual(['Pothole'])
    expect(await found(`${ten} POTHOLE`)).toEqual(['Pothole'])
    expect([status, body]).toEqual([422, { search: 'must have at most 10 words' }])
  })

  it('finds the new text after an update', async () => {
    const id = await app.create.issue({ summary: 'Before' })
    expect(await found('before')).toEqual(['Before'])

    await app.db.prisma.issue.update({ where: { id }, data: { summary: 'Afterwards' } })

    expect(await found('before')).toEqual([])
    expect(await found('afterwards')).toEqual(['Afterwards'])
    await app.db.prisma.issue.delete({ where: { id } })
  })
})

const reported: readonly (readonly [summary: string, times: number])[] = [
  ['Graffiti', 12],
  ['Grafitti', 1],
  ['Pothole', 12],
  ['Potthole', 1],
  ['Trash', 12],
  ['Tarsh', 1],
  ['Crash', 1],
  ['Leaning tree', 12],
  ['Three chairs', 1],
  ['Streetlight', 1],
  ['Street light', 1],
  ['Light on a street', 1],
  ['Ponce De Leon', 1],
  ['Café', 1],
  ['Came', 120],
  ['Bulk pickup', 1],
  ['Bulk pick-up', 1],
]

describe('search with misspelled words', () => {
  const app = useApp({ keepRows: true })

  beforeAll(async () => {
    const summaries = reported.flatMap(([summary, times]) => Array.from({ length: times }, () => summary))
    await app.db.prisma.issue.createMany({ data: summaries.map((summary) => ({ summary, lng: 0, lat: 0 })) })
    await app.create.issue({ summary: 'Secretword', moderation_state: 'held' })
    await countWords(app.db)
  })

  const found = async (search: string) => [...new Set(await fetchTitles(app.as.anonymous, { search, per_page: 100 }))].toSorted()

  it.each([
    ['grafitti', 'a misspelling that one report has', ['Graffiti', 'Grafitti']],
    ['potthole', 'an extra letter that one report has, too', ['Pothole', 'Potthole']],
    ['tarsh', 'swapped letters that one report has, too', ['Tarsh', 'Trash']],
    ['grafity', 'two errors', ['Graffiti', 'Grafitti']],
    ['pothloe', 'swapped letters', ['Pothole']],
    ['otphole', 'the first letters swapped', ['Pothole']],
    ['trsah', 'swapped letters of a short word', ['Trash']],
    ['trsh', 'a missing letter in a short word', ['Tarsh', 'Trash']],
    ['teer', 'two errors in a short word', []],
    ['ponce de lion', 'a wrong letter in a short word', ['Ponce De Leon']],
    ['caféé', 'an error next to an accent', ['Café']],
    ['streetlight', 'two words written as one', ['Street light', 'Streetlight']],
    ['streetlights', 'two words written as one, in another form', ['Street light', 'Streetlight']],
    ['stretlight', 'two words written as one, with an error', ['Street light', 'Streetlight']],
    ['street light', 'a word written as two', ['Light on a street', 'Street light', 'Streetlight']],
    ['pot hole', 'a word written as two, which no report does', ['Pothole']],
    ['bulk pickup', 'a word that ends in two letters', ['Bulk pick-up', 'Bulk pickup']],
    ['bulk pick-up', 'a word with a hyphen that ends in two letters', ['Bulk pick-up', 'Bulk pickup']],
    ['bulk pick up', 'a word that ends in two letters, written as two', ['Bulk pick-up', 'Bulk pickup']],
    ['secretwrod', 'a word similar to one of a report pending review', []],
    ['graffiti trahs', 'two words that no report has together', []],
  ])('finds the intended words for "%s": %s', async (search, _, titles) => {
    expect(await found(search)).toEqual(titles)
  })

  it.each([
    ['graffiti', ['Graffiti']],
    ['trash', ['Trash']],
    ['crash', ['Crash']],
    ['three', ['Three chairs']],
    ['café', ['Café']],
    ['light', ['Light on a street', 'Street light']],
  ])('does not correct "%s", which is spelled correctly', async (search, titles) => {
    expect(await found(search)).toEqual(titles)
  })

  it('counts exactly and returns each issue once across pages', async () => {
    const { ids, entries, pages } = await fetchAllIds(app.as.anonymous, { search: 'grafitti' }, 5)

    expect([entries, pages, new Set(ids).size]).toEqual([13, 3, 13])
  })

  it('adds words of new and changed reports, and removes those without a report at night', async () => {
    const dictionary = () =>
      queryRows(app.db, sql`SELECT w.word, w.reports FROM search_words w WHERE w.word LIKE 'zebr%' ORDER BY w.word`)
    const created_at = new Date().toISOString()
    const deleted = await app.create.issue({ summary: 'Zebra', created_at })
    const changed = await app.create.issue({ summary: 'Zebra crossing', created_at })
    const hidden = await app.create.issue({ summary: 'Zebroid', created_at })
    await addWords(app.db)
    await addWords(app.db)
    const added = await dictionary()
    const foundAfterAdding = await found('zebrodi')

    await app.db.prisma.issue.delete({ where: { id: deleted } })
    await app.db.prisma.issue.update({ where: { id: changed }, data: { summary: 'Zebras' } })
    await app.db.prisma.issue.update({ where: { id: hidden }, data: { moderation_state: 'rejected' } })
    await countWords(app.db)

    expect(added).toEqual([
      { word: 'zebra', reports: 2 },
      { word: 'zebroid', reports: 1 },
    ])
    expect(foundAfterAdding).toEqual(['Zebroid'])
    expect(await dictionary()).toEqual([
      { word: 'zebra', reports: 1 },
      { word: 'zebras', reports: 1 },
    ])
    expect(await found('zebrodi')).toEqual([])
  })
})
