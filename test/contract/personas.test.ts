import { beforeEach, describe, expect, test } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { useApp } from '../helpers/use-app.ts'
import type { Reference } from './every-answer.ts'
import {
  askedBy,
  askedWithKey,
  conventions,
  expectedOf,
  operationsOf,
  reachedBy,
  sendAs,
  sendWithKey,
} from './persona-conventions.ts'
import { askAs, pageRows } from './persona-pages.ts'
import { askedElsewhere, rows } from './persona-rows.ts'
import { givenWorld, type Persona, personas, type World } from './persona-world.ts'

/*
 * Who gets what: every operation with an account or a report in it, asked by everybody in turn, with every outcome that the reference
 * names. What an answer holds beyond that is the matter of the operation's own tests.
 */

const it = useApp()

let world: World

beforeEach(async () => {
  world = await givenWorld(it)
})

const operations = () => operationsOf(it.app.swagger() as unknown as Reference)
const forAll = <Outcome>(outcomeOf: (persona: Persona) => Outcome) =>
  Object.fromEntries(personas.map((persona) => [persona, outcomeOf(persona)])) as Record<Persona, Outcome>

describe('everybody in turn, the owner last', () => {
  test.each(rows)('$operation: $what', async ({ request, all, but = {}, check }) => {
    const statuses: Partial<Record<Persona, number>> = {}
    for (const persona of personas) {
      const answer = await sendAs(world, persona, await request(world, persona))
      statuses[persona] = answer.status
      if (answer.status === (but[persona] ?? all)) await check?.(answer, persona, world)
    }

    expect(statuses).toEqual({ ...forAll(() => all), ...but })
  })
})

describe('a request that fits no operation', () => {
  test.each(conventions)('is $status to everybody, whatever is asked: $what', async (convention) => {
    const got: Record<string, Record<Persona, number>> = {}
    const expected: typeof got = {}
    for (const row of askedBy(convention, operations())) {
      const name = row.operation
      expected[name] = forAll((persona) => expectedOf(row, convention, persona))
      const statuses = forAll(() => 0)
      got[name] = statuses
      for (const persona of personas) {
        const [method, path, body, headers] = await row.request(world, persona)
        const asked = [method, path, convention.body ?? body, { ...headers, ...convention.headers }] as const
        statuses[persona] = (await sendAs(world, persona, asked)).status
      }
    }

    expect(got).toEqual(expected)
  })
})

/** Operations whose answers are kept for a key. */
const keyed = [
  ...['createIssue', 'createComment', 'closeIssue', 'openIssue', 'acknowledgeIssue'],
  ...['createQuestion', 'createAnswer', 'voteForAnswer'],
  ...['createUser', 'createEmail', 'requestEmailConfirmation'],
  ...['voteForIssue', 'followIssue', 'flagIssue', 'flagComment', 'flagQuestion', 'flagAnswer'],
  ...['approveModerationItem', 'rejectModerationItem'],
  ...['createWatchArea', 'renewWatcherToken'],
]

describe('an Idempotency-Key', () => {
  test.each(keyed)('gives everybody their first answer of %s again, and refuses other content and a twin', async (name) => {
    const row = askedWithKey(operations()).find(({ operation }) => operation === name)
    if (!row) throw new Error(`${name} documents no 409`)
    for (const persona of personas) {
      const { first, again, other, twin } = await sendWithKey(world, persona, row)
      const own = row.but?.[persona] ?? row.all

      const statuses = [first, again, other, twin].map(({ status }) => status)
      // Whoever is not logged in learns that, 401 or 422, before a key is looked at.
      const isShutOut = persona === 'nobody' && own >= 400
      expect(statuses, persona).toEqual(isShutOut ? [own, own, own, own] : [own, own, 422, 409])
      if (isShutOut) continue
      expect([again.text, again.headers['location']]).toEqual([first.text, first.headers['location']])
      expect([first, again].map(({ headers }) => headers['idempotency-replayed'])).toEqual([undefined, 'true'])
      expect(other.text).toContain('was used for a request with other content')
    }
  })

  test('is asked of every operation that documents a twin', () => {
    expect(
      askedWithKey(operations())
        .map(({ operation }) => operation)
        .toSorted(),
    ).toEqual(keyed.toSorted())
  })
})

describe('a page, by the cookie of everybody in turn', () => {
  test.each(pageRows)('$what', async (row) => {
    const outcomes: Partial<Record<Persona, string>> = {}
    for (const persona of personas) {
      const { outcome, text } = await askAs(world, persona, row)
      outcomes[persona] = outcome
      if (persona === 'nobody' || !row.shows) continue
      const shown = Object.entries(world.people).filter(([, person]) => text.includes(row.shows?.(person) ?? ''))
      expect(shown.map(([name]) => name)).toEqual([persona])
    }

    expect(outcomes).toEqual({ ...forAll(() => row.all), ...row.but })
    if (row.headers) expect(await it.db.query(sql`SELECT u.id FROM users u WHERE u.name = 'Another Name'`)).toEqual([])
  })
})

describe('the rows', () => {
  /** Of the conventions, with tests of their own in test/http: nothing that a persona could bring about by one request. */
  const notOfRows = new Set([304, 408, 414, 429, 500, 503])

  test('miss no operation of the reference but those that are asked elsewhere', () => {
    const all = operations().map(({ operationId }) => operationId)
    const asked = [...new Set(rows.map(({ operation }) => operation))].filter((operation) => operation !== 'getFile')

    expect([...asked, ...Object.keys(askedElsewhere)].sort()).toEqual(all.sort())
  })

  test('reach every status that the reference documents of them', () => {
    const missed = operations()
      .filter(({ operationId }) => !(operationId in askedElsewhere))
      .flatMap((operation) => {
        const reached = reachedBy(operation)
        const open = operation.documented.filter((status) => !reached.has(status) && !notOfRows.has(status))
        return open.map((status) => `${operation.operationId} ${status}`)
      })

    expect(missed).toEqual([])
  })
})
