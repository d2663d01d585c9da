import { beforeAll, describe, expect, it } from 'vitest'

import type { Reference } from '../../contract/openapi-responses.ts'
import type { TestUser } from '../../helpers/factories.ts'
import { parseIssueList } from '../../helpers/issue-list.ts'
import { useApp } from '../../helpers/use-app.ts'

interface Parameter {
  readonly name: string
  readonly in: string
  readonly example?: unknown
  readonly schema: { readonly type?: string; readonly examples?: readonly unknown[] }
}
interface Operation {
  readonly path: string
  readonly names: readonly string[]
  readonly query: string
}

const app = useApp({ keepRows: true })
let admin: TestUser
let operations: Operation[]
let everyName: ReadonlySet<string>

beforeAll(async () => {
  admin = await app.create.user({ role: 'Admin' })
  await app.create.issue({ summary: 'Here' })
  const { paths } = app.fastify.swagger() as unknown as Reference
  operations = Object.entries(paths).flatMap(([path, { get }]) => {
    const parameters = (get as unknown as { parameters?: readonly Parameter[] } | undefined)?.parameters ?? []
    const inQuery = parameters.filter((one) => one.in === 'query')
    const written = inQuery.map(({ name, example, schema }) => {
      const value = encodeURIComponent(String(example ?? schema.examples?.[0]))
      return schema.type === 'array' ? `${name}=${value}&${name}[]=${value}` : `${name}=${value}`
    })
    const [names, query] = [inQuery.map(({ name }) => name), written.join('&')]
    const existing = path.replace('{format}', 'csv').replaceAll(/\{\w+\}/g, '1')
    return names.length > 0 ? [{ path: existing, names, query }] : []
  })
  everyName = new Set(operations.flatMap(({ names }) => names))
})

const ask = (path: string, names: readonly string[], query = '') =>
  app.as.user(admin).send('GET', `${path}?${names.map((name) => `${encodeURIComponent(name)}=`).join('&')}&${query}`)
const didYouMean = (...names: string[]) => `did you mean ${names.join(', ')}? This operation has no parameter of this name`

/** Returns every deletion and transposition, and an insertion and a substitution at each position. */
function typosOf(name: string): string[] {
  const cuts = [...`${name} `].map((_, at) => [name.slice(0, at), name.slice(at)] as const)
  return cuts.flatMap(([left, right]) => [
    `${left}z${right}`,
    ...(right === '' ? [] : [`${left}${right.slice(1)}`, `${left}z${right.slice(1)}`]),
    ...(right.length < 2 ? [] : [`${left}${right[1]}${right[0]}${right.slice(2)}`]),
  ])
}

/** Returns the parameters that a text suggests: `after_d` lacks a character of `after_id`, and has one more than `after`. */
const alternatives = (name: string, names: readonly string[], typo: string) =>
  names.filter(
    (other) =>
      other === name || (other.length >= 5 && !spellingsOf(name).includes(typo) && isOneEditAway(other, typo.replaceAll('_', ''))),
  )
const isOneEditAway = (text: string, other: string) =>
  deletionsOf(other).includes(text) ||
  deletionsOf(text).includes(other) ||
  (text.length === other.length && deletionsOf(text).some((rest, at) => rest === deletionsOf(other)[at]))
const deletionsOf = (text: string) => [...text].map((_, at) => text.slice(0, at) + text.slice(at + 1))

const spellingsOf = (name: string) => [
  name.toUpperCase(),
  `${name}_`,
  `-${name}`,
  name.replaceAll('_', '-'),
  name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
  `${name}[][]`,
]

describe('every query parameter of a read operation', () => {
  it('belongs to an operation', () => {
    expect(operations.length).toBeGreaterThan(10)
    expect(operations.map(({ path }) => path)).toEqual(expect.arrayContaining(['/api/v2/issues', '/feeds/issues.atom']))
  })

  // GET /issues and GET /statistics name the dates of a period differently.
  const periodNames = ['after', 'before', 'from', 'until']
  // Lists of changes refuse the filters of downloads.
  const filters = ['category', 'organization_id', 'organization_id[]', 'filter']

  it('is accepted as documented, also if it belongs to another operation', async () => {
    const answers = await Promise.all(
      operations.map(async ({ path, names, query }) => {
        const refused = [...periodNames, ...(names.includes('since') ? filters : [])]
        const others = [...everyName].filter((name) => !names.includes(name) && !refused.includes(name))
        const { body } = await ask(path, [`${names[0]}_`, ...others], query)
        return [path, body]
      }),
    )

    expect(answers).toEqual(operations.map(({ path, names }) => [path, { [`${names[0]}_`]: didYouMean(names[0] ?? '') }]))
  })

  it('returns 422 with a suggestion if it is misspelt', async () => {
    for (const { path, names } of operations) {
      for (const name of names) {
        const typos = name.length < 5 ? [] : typosOf(name)
        const wrong = [...new Set([...typos, ...spellingsOf(name)])].filter((typo) => !everyName.has(typo))

        const { status, body } = await ask(path, wrong)

        // An operation that requires the parameter reports that as well.
        const { [name]: _required, ...misspelt } = body as Record<string, string>
        const meant = Object.fromEntries(wrong.map((typo) => [typo, didYouMean(...alternatives(name, names, typo))]))
        expect([path, name, status, misspelt]).toEqual([path, name, 422, meant])
      }
    }
  })
})

const area = didYouMean('area')

describe('GET /issues', () => {
  it.each([
    ['placeurl=denver', { placeurl: didYouMean('place_url') }],
    ['bbox=1,2,3,4', { bbox: didYouMean('min_lat', 'min_lng', 'max_lat', 'max_lng') }],
    ['created_after=2026-01-01', { created_after: didYouMean('after') }],
    ['from=2026-01-01&until=2026-01-31', { from: didYouMean('after'), until: didYouMean('before') }],
    ['latitude=1&lon=2', { latitude: didYouMean('lat'), lon: didYouMean('lng') }],
    ['lat%5B%5D=1', { 'lat[]': didYouMean('lat') }],
    ['status%5B0%5D=open', { 'status[0]': didYouMean('status') }],
    ['min_Lat=1&min_lng=1&max_lat=2&max_lng=2', { min_Lat: didYouMean('min_lat') }],
    ['lat=1&lng=2&zoom=14&Status=open', { Status: didYouMean('status') }],
    ['polygon=x&geometry=x&geom=x&within=x', { polygon: area, geometry: area, geom: area, within: area }],
    ['near=1,2&point=1,2', { near: didYouMean('lat', 'lng'), point: didYouMean('lat', 'lng') }],
    ['distance=500', { distance: didYouMean('radius') }],
    ['bounds=1,2,3,4', { bounds: didYouMean('min_lat', 'min_lng', 'max_lat', 'max_lng') }],
    ['q=pothole&offset=20', { q: didYouMean('search'), offset: didYouMean('page') }],
    ['order=asc&sort_dir=asc', { order: didYouMean('sort', 'sort_direction'), sort_dir: didYouMean('sort_direction') }],
    ['Radius=5', { Radius: didYouMean('radius') }],
  ])('refuses %s', async (query, body) => {
    const answer = await app.as.anonymous.get(`/issues?${query}`)

    expect([answer.status, answer.body]).toEqual([422, body])
  })

  it.each([
    'utm_source=mail&_=1&callback=f&t=1&v=2&fbclid=x&cb=3',
    // Both belong to other operations; the second resembles a parameter of this operation.
    'state=held&subset=answered&token=x',
    '__proto__=1&constructor=2&hasOwnProperty=3&%5B%5D=4&=5',
  ])('ignores %s', async (query) => {
    const answer = await app.as.anonymous.get(`/issues?${query}`)

    expect(parseIssueList(answer).issues.map(({ summary }) => summary)).toEqual(['Here'])
  })

  it.each([
    ['es', '¿querías decir min_lat? Esta operación no tiene ningún parámetro con este nombre'],
    ['fr', 'vouliez-vous dire min_lat ? Cette opération n’a pas de paramètre de ce nom'],
  ])('refuses a misspelt parameter in %s', async (language, text) => {
    const { status, body } = await app.as.anonymous.get('/issues?min_Lat=1', { 'accept-language': language })

    expect([status, body]).toEqual([422, { min_Lat: text }])
  })
})

describe('lists without areas', () => {
  it.each(['/places?lat=1&lng=2', '/users?lat=1&lng=2', '/issues/1/comments?page=1'])(
    'refuse the name of an area, because they would answer with everything: %s',
    async (path) => {
      const answer = await app.as.anonymous.get(`${path}&polygon=x&Geometry=y`)

      const text = 'is unknown: this list has no such area'
      expect([answer.status, answer.body]).toEqual([422, { polygon: text, Geometry: text }])
    },
  )
})

describe('lists of changes', () => {
  it.each(['category', 'organization_id', 'organization_id[]', 'filter'])(
    'refuse `%s`, which downloads have: their copies would get the changes of all issues',
    async (name) => {
      for (const path of ['/changes', '/changes/stream']) {
        const { status, body } = await app.as.anonymous.get(`${path}?${encodeURIComponent(name)}=1`)

        const text = 'is no filter of changes: follow the whole list, and select from what you receive'
        expect([status, body]).toEqual([422, { [name]: text }])
      }
    },
  )
})

describe('an unknown path', () => {
  it('returns 404 with any parameters', async () => {
    const answers = await Promise.all(['/issues/x?Details=true', '/nothing?min_Lat=1'].map((path) => app.as.anonymous.get(path)))

    expect(answers.map(({ status }) => status)).toEqual([404, 404])
  })
})
