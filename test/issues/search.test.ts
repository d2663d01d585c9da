import { beforeAll, describe, expect, test } from 'vitest'

import { addressOf, titlesOf } from '../helpers/issue-list.ts'
import { useApp } from '../helpers/use-app.ts'

describe('search of GET /issues', () => {
  const it = useApp({ keepRows: true })

  beforeAll(async () => {
    await it.given.issue({ summary: 'Pothole', description: 'Deep, cars swerve around it', address: '1437 Larimer St, Denver' })
    await it.given.issue({ summary: 'Road/Sidewalk', description: 'Cracked slabs', address: '12-34B Church-Street' })
    await it.given.issue({ summary: 'Café terrace', description: 'Déchets near the résumé office', address: 'Rue d’Été 5' })
    await it.given.issue({ summary: 'Streetlight', description: "It doesn't burn; “dark” at night — every night", address: null })
    await it.given.issue({ summary: 'УЛИЦА', description: '道路 damaged', address: 'user_name@example.org' })
    await it.given.issue({ summary: 'Held pothole', moderation_state: 'held' })
    await it.given.issue({ summary: 'Archived pothole', status: 'Archived' })
  })

  const found = async (search: string) => (await titlesOf(it.as.nobody, { search })).toSorted()

  test.each([
    ['a word of the summary', 'pothole', ['Pothole']],
    ['a word of the description', 'slabs', ['Road/Sidewalk']],
    ['a word of the address', 'larimer', ['Pothole']],
    ['a house number', '1437', ['Pothole']],
    ['the beginning of a word', 'poth', ['Pothole']],
    ['the beginning of a house number', '143', ['Pothole']],
    ['another form of a word', 'potholes', ['Pothole']],
    ['a word of which the text has another form', 'swerving', ['Pothole']],
    ['capitals', 'POTHOLE', ['Pothole']],
    ['capitals of other scripts', 'улица', ['УЛИЦА']],
    ['a script without blanks', '道路', ['УЛИЦА']],
    ['no accents where the text has them', 'cafe dechets', ['Café terrace']],
    ['accents where the text has none', 'Pothôlé', ['Pothole']],
    ['accents that are written apart', 'cafe\u0301', ['Café terrace']],
    ['a mistyped word', 'potholle', ['Pothole']],
    ['a word with two letters changed places', 'sidewlak', ['Road/Sidewalk']],
    ['punctuation between words', 'Road/Sidewalk', ['Road/Sidewalk']],
    ['only the second of two words with a slash', 'sidewalk', ['Road/Sidewalk']],
    ['a hyphen', 'church-street', ['Road/Sidewalk']],
    ['a house number with a letter', '34b', ['Road/Sidewalk']],
    ['an apostrophe', "doesn't", ['Streetlight']],
    ['an apostrophe of print', 'd’été', ['Café terrace']],
    ['quotation marks', '"dark"', ['Streetlight']],
    ['a dash', 'night—every', ['Streetlight']],
    ['an address of mail', 'user_name@example.org', ['УЛИЦА']],
    ['several words in any order', 'denver deep pothole', ['Pothole']],
  ])('finds %s', async (_, search, titles) => {
    expect(await found(search)).toEqual(titles)
  })

  test.each([
    ['one of several words is missing', 'pothole church'],
    ['nothing is like the word', 'xylophone'],
    ['a short word stands in the middle of a longer one', 'hol'],
    ['there is only punctuation', '!?/&|*'],
    ['there is only a backslash', '\\'],
    ['there are only quotes', `''""`],
  ])('finds nothing where %s', async (_, search) => {
    expect(await found(search)).toEqual([])
  })

  test.each([
    ['operators of a search in the database', 'pothole & !deep | (x <-> y):*AB'],
    ['a statement of SQL', "pothole'; DROP TABLE issues; --"],
    ['a backslash before a quote', "pothole\\'"],
    ['wildcards', 'pothole%_*'],
    ['the longest text', `pothole ${'x'.repeat(192)}`],
  ])('takes %s for words', async (_, search) => {
    const { status } = await it.as.nobody.get(addressOf({ search }))

    expect(status).toBe(200)
    expect(await found('pothole')).toEqual(['Pothole'])
  })

  test('finds the word beside operators, wildcards and quotes', async () => {
    expect(await found("pothole':*")).toEqual(['Pothole'])
    expect(await found('!pothole')).toEqual(['Pothole'])
    expect(await found('(pothole) & deep')).toEqual(['Pothole'])
  })

  test('is no filter where it is blank', async () => {
    const everything = await found('  ')

    expect(everything).toHaveLength(5)
    expect(await found('')).toEqual(everything)
  })

  test('finds archived issues where they are asked for, and held ones never', async () => {
    const titles = await titlesOf(it.as.nobody, { search: 'pothole', status: 'open,archived' })

    expect(titles.toSorted()).toEqual(['Archived pothole', 'Pothole'])
  })

  test('takes ten words and refuses an eleventh', async () => {
    const ten = 'deep cars swerve around it larimer st denver 1437 pothole'

    const { status, body } = await it.as.nobody.get(addressOf({ search: `${ten} street` }))

    expect(await found(ten)).toEqual(['Pothole'])
    expect(await found(`${ten} POTHOLE`)).toEqual(['Pothole'])
    expect([status, body]).toEqual([422, { search: 'must have at most 10 words' }])
  })

  test('follows a changed text', async () => {
    const id = await it.given.issue({ summary: 'Before' })
    expect(await found('before')).toEqual(['Before'])

    await it.db.prisma.issue.update({ where: { id }, data: { summary: 'Afterwards' } })

    expect(await found('before')).toEqual([])
    expect(await found('afterwrads')).toEqual(['Afterwards'])
    await it.db.prisma.issue.delete({ where: { id } })
  })
})
