import type { FastifyReply, FastifyRequest } from 'fastify'

import { hasDemoStreets, type StreetSources } from '../../basemap/has-streets.ts'
import type { Queryable } from '../../database/database.ts'
import type { FoundAddress } from '../../geo/geocoder.ts'
import { type Box, boxCentre, type Point } from '../../geo/shapes.ts'
import type { StreetMap } from '../../geo/street-map.ts'
import { ipAddressKey } from '../../http/auth/login.ts'
import { isRefusal } from '../../http/rate-limit/rate-limit.ts'
import { statuses } from '../../issue-lifecycle/status.ts'
import { listIssueAddresses } from '../../issues/list/overview.ts'
import type { Language } from '../../locales/texts.ts'
import { listPlacesContaining } from '../../places/queries.ts'
import { parseSearch } from '../../search/search-terms.ts'
import type { Services } from '../../services.ts'

/* Addresses without a geocoder: those of public issues, and the streets that the demo invents or the base map has. */

const FOUND_MAX = 6
/** One letter would find most streets. */
const WORD_LENGTH_MIN = 2
/** The search of issues allows no more words. */
const WORDS_MAX = 10
const ISSUES_MAX = 1_000
/** A street is one entry in each part of the city. */
const STREETS_MAX = 3 * FOUND_MAX
/** A service whose newest issues have no address is one without addresses. */
const NEWEST = 100

/** Addresses have the short or the long form of these words. */
const shortForms = new Map(
  Object.entries({
    ...{
      street: 'st',
      avenue: 'ave',
      boulevard: 'blvd',
      court: 'ct',
      drive: 'dr',
      lane: 'ln',
      place: 'pl',
      road: 'rd',
      terrace: 'ter',
    },
    ...{ north: 'n', south: 's', east: 'e', west: 'w' },
  }),
)
const hasForms = (word: string) => shortForms.has(word) || [...shortForms.values()].includes(word)

async function hasKnownAddresses(sources: StreetSources): Promise<boolean> {
  const newest = await sources.db.prisma.issue.findMany({
    where: { moderation_state: 'passed' },
    orderBy: { id: 'desc' },
    take: NEWEST,
    select: { address: true },
  })
  if (newest.some(({ address }) => address !== '') || (await hasDemoStreets(sources))) return true
  return ((await sources.readNamedStreets?.()) ?? []).length > 0
}

/** Returns at most six addresses that contain all words: streets before houses, unless a number is searched, and each near the middle of the box first. */
async function findKnownAddresses(
  reader: Queryable,
  sources: StreetSources,
  { words, near }: { words: string; near: Box | undefined },
): Promise<FoundAddress[]> {
  const searched = wordsIn(words)
  if (searched.every((word) => word.length < WORD_LENGTH_MIN) || searched.length > WORDS_MAX) return []
  const middle = near && boxCentre(near)
  const [issues, invented, named] = await Promise.all([
    findOfIssues(reader, searched),
    findStreets(sources, searched),
    findNamedStreets(reader, sources, wordsIn(words.split(',')[0] ?? ''), middle),
  ])
  const streets = [...invented, ...named]
  const ordered = (hasNumber(searched) ? [issues, streets] : [streets, issues]).flatMap((some) =>
    middle ? some.sort((a, b) => apart(a, middle) - apart(b, middle)) : some,
  )
  return [...new Map(ordered.map((address) => [address.name, address])).values()].slice(0, FOUND_MAX)
}

const hasNumber = ([first = '']: readonly string[]) => /^\d+$/.test(first)
/** Between two streets stands `&` or a word. */
const JOINING_WORD = /(?<=\S\s)(?:and|et|y)(?=\s\S)/g
/** Returns the words in lower case and in their short forms, without those that join two streets. */
const wordsIn = (text: string): readonly string[] =>
  (
    text
      .normalize('NFC')
      .toLowerCase()
      .replaceAll(JOINING_WORD, '&')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  ).map((word) => shortForms.get(word) ?? word)
const hasEvery = (text: string, searched: readonly string[]) => {
  const words = wordsIn(text)
  return searched.every((one) => words.some((word) => word.startsWith(one)))
}
const apart = ({ point }: FoundAddress, { lng, lat }: Point) => Math.hypot(point.lng - lng, point.lat - lat)

async function findOfIssues(reader: Queryable, searched: readonly string[]): Promise<FoundAddress[]> {
  const distinctive = searched.filter((word) => !hasForms(word))
  if (distinctive.length === 0) return []
  const search = { id: undefined, terms: await parseSearch(reader, distinctive.join(' ')) }
  const found = await listIssueAddresses(reader, { area: { kind: 'everywhere' }, statuses, search }, ISSUES_MAX)
  return found
    .filter(({ address }) => hasEvery(address, searched))
    .map(({ address, lng, lat }) => ({ name: address, point: { lng, lat } }))
}

/** Returns streets of the base map with the cities in which they are. */
async function findNamedStreets(
  reader: Queryable,
  { readNamedStreets }: StreetSources,
  searched: readonly string[],
  middle: Point | undefined,
): Promise<FoundAddress[]> {
  if (searched.length === 0) return []
  const found = ((await readNamedStreets?.()) ?? []).filter(({ name }) => hasEvery(name, withoutNumber(searched)))
  if (middle) found.sort((a, b) => apart(a, middle) - apart(b, middle))
  return Promise.all(
    found.slice(0, STREETS_MAX).map(async ({ name, point }) => {
      const places = await listPlacesContaining(reader, point)
      const place = places.find(({ place_type }) => place_type === 'City') ?? places[0]
      return { name: place ? `${name}, ${place.name}` : name, point }
    }),
  )
}

/** The house number is left out: the map shows the street. */
const withoutNumber = (searched: readonly string[]) => (hasNumber(searched) && searched.length > 1 ? searched.slice(1) : searched)

async function findStreets(sources: StreetSources, searched: readonly string[]): Promise<FoundAddress[]> {
  if (!(await hasDemoStreets(sources))) return []
  return ((await sources.readStreetMaps?.()) ?? []).flatMap((map) => findStreetsOf(map, withoutNumber(searched)))
}

function findStreetsOf({ label, mainStreets, findSideStreets }: StreetMap, searched: readonly string[]): FoundAddress[] {
  // The ending, such as St, belongs to hundreds of streets.
  const isPossible = (name: string) =>
    wordsIn(name)
      .slice(0, -1)
      .some((word) => searched.some((one) => word.startsWith(one)))
  const lines = [...mainStreets, ...findSideStreets(isPossible)].filter(({ name }) => hasEvery(`${name} ${label}`, searched))
  const longest = new Map(lines.sort((a, b) => a.positions.length - b.positions.length).map((line) => [line.name, line]))
  return [...longest.values()].flatMap(({ name, positions }) => {
    const [lng, lat] = positions[Math.floor(positions.length / 2)] ?? []
    return lng === undefined || lat === undefined ? [] : [{ name: `${name}, ${label}`, point: { lng, lat } }]
  })
}

export const ADDRESS_WORDS_MAX = 200

/** The state of a search for an address. */
export type AddressResults =
  | { readonly found: readonly FoundAddress[] }
  | { readonly failure: 'searchFailed' | 'searchLimited' | 'searchTooLong' }

export interface SearchedAddress {
  readonly words: string
  readonly results: AddressResults | undefined
}

export type AddressLookup = ReturnType<typeof createAddressLookup>

type AddressSources = Pick<Services, 'addresses' | 'config' | 'db' | 'readStreetMaps' | 'readNamedStreets'>

/**
 * Searches addresses for the map and for the pages of a report: with the geocoder, or without one among those that the service knows.
 * Requests of a client to the geocoder have the rate limit of the API.
 */
export function createAddressLookup(services: AddressSources) {
  const { addresses, db } = services
  /** Returns false over the limit. */
  async function count(request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
    try {
      await reply.countRequest(`geocoder:${ipAddressKey(request)}`)
      return true
    } catch (error) {
      if (isRefusal(error)) return false
      throw error
    }
  }

  const canSearch = async () => addresses !== undefined || (await hasKnownAddresses(services))

  return {
    canSearch,

    /** Returns undefined if there are no addresses. An error is part of the page, because the map works without addresses. */
    async search(
      request: FastifyRequest,
      reply: FastifyReply,
      { words, near, language }: { words: string; near: Box | undefined; language: Language },
    ): Promise<SearchedAddress | undefined> {
      if (!(await canSearch())) return undefined
      if (words === '') return { words, results: undefined }
      const fail = (status: number, failure: Extract<AddressResults, { failure: string }>['failure']) => {
        void reply.code(status)
        return { words, results: { failure } }
      }
      if (words.length > ADDRESS_WORDS_MAX) return fail(422, 'searchTooLong')
      if (!addresses) return { words, results: { found: await findKnownAddresses(db.reader, services, { words, near }) } }
      if (!(await count(request, reply))) return fail(429, 'searchLimited')
      const found = await addresses.search(words, { language, near })
      return found ? { words, results: { found } } : fail(503, 'searchFailed')
    },

    /** Returns undefined for an unknown address, and over the limit. */
    async reverse(request: FastifyRequest, reply: FastifyReply, point: Point, language: Language): Promise<string | undefined> {
      if (!addresses || !(await count(request, reply))) return undefined
      return addresses.reverse(point, language)
    },
  }
}
