import { expect } from 'vitest'

import { sql } from '../../../../src/database/database.ts'
import type { ApiResponse } from '../../../helpers/client.ts'
import { GREEN, square } from '../../../helpers/factories.ts'
import { api, anonymous401, onlyOwner, type Row, UNKNOWN_ID } from '../row.ts'
import { nextNumber, type Persona, type PersonaRows } from '../persona-rows.ts'
import { queryRows } from '../../../helpers/query-rows.ts'

/** A watch area of another user is 404 for all, moderators and admins included. */
const onlyTheirs = (status: number) => ({ anonymous: 401, owner: status })

const circle = () => ({ ...GREEN, radius: 100 + nextNumber() })
const names = (field: string) => (answer: ApiResponse, persona: Persona) => {
  if (persona !== 'anonymous') expect(Object.keys(answer.body as object)).toEqual([field])
}

async function createOwnArea({ app, people }: PersonaRows): Promise<number> {
  const token = await app.create.watchArea({ of: people.owner, token: `token-of-the-owner-${nextNumber()}` })
  const [area] = await queryRows<{ id: number }>(app.db, sql`SELECT w.id FROM watch_areas w WHERE w.watcher_token = ${token}`)
  return area?.id ?? 0
}

async function fillUpAreas({ app }: PersonaRows, user_id: number): Promise<void> {
  await app.db.execute(sql`
    INSERT INTO watch_areas (user_id, watcher_token, area)
    SELECT ${user_id}, 'full ' || ${user_id}::integer || ' ' || n, ST_Multi(ST_MakeEnvelope(0, 0, 0.001, 0.001, 4326)) FROM generate_series(1, 50) n
    ON CONFLICT DO NOTHING RETURNING watch_areas.id`)
}

const showsTheirOwn = async (answer: ApiResponse, persona: Persona, { app, people }: PersonaRows) => {
  if (persona === 'anonymous') return
  const { id, watcher_token } = answer.body as { id: number; watcher_token: string }
  const rows = await queryRows(app.db, sql`SELECT w.user_id, w.watcher_token FROM watch_areas w WHERE w.id = ${id}`)
  expect(rows).toEqual([{ user_id: people[persona].id, watcher_token }])
}

export const watcherRows: readonly Row[] = [
  {
    operation: 'createWatchArea',
    what: 'a circle',
    request: () => ['POST', api('/watchers'), circle()],
    expected: 201,
    exceptFor: anonymous401,
    check: showsTheirOwn,
  },
  {
    operation: 'createWatchArea',
    what: 'a polygon with all optional fields',
    request: () => [
      'POST',
      api('/watchers'),
      { area: square(GREEN), name: 'Home', frequency: 'weekly', about: 'updates', locale: 'fr' },
    ],
    expected: 201,
    exceptFor: anonymous401,
    check: showsTheirOwn,
  },
  {
    operation: 'createWatchArea',
    what: 'no area',
    request: () => ['POST', api('/watchers'), { name: 'Nowhere' }],
    expected: 422,
    exceptFor: anonymous401,
    check: names('base'),
  },
  {
    operation: 'createWatchArea',
    what: 'a watch area over the maximum of fifty',
    request: async (world, persona) => {
      if (persona !== 'anonymous') await fillUpAreas(world, world.people[persona].id)
      return ['POST', api('/watchers'), circle()]
    },
    expected: 422,
    exceptFor: anonymous401,
    check: names('base'),
  },
  {
    operation: 'listWatchAreas',
    what: 'the caller’s own watch areas',
    request: async (world) => {
      await createOwnArea(world)
      return ['GET', api('/watchers')]
    },
    expected: 200,
    exceptFor: anonymous401,
    check: ({ body }, persona) => {
      if (persona === 'anonymous') return
      const { watchers } = body as { watchers: unknown[] }
      expect(watchers.length > 0).toBe(persona === 'owner')
    },
  },
  {
    operation: 'listWatchAreas',
    what: 'an invalid page number',
    request: () => ['GET', api('/watchers?page=one')],
    expected: 422,
    exceptFor: anonymous401,
    check: names('page'),
  },
  {
    operation: 'getWatchArea',
    what: 'a watch area of the owner',
    request: async (world) => ['GET', api(`/watchers/${await createOwnArea(world)}`)],
    expected: 404,
    exceptFor: onlyTheirs(200),
    check: (answer, persona, world) => (answer.status === 200 ? showsTheirOwn(answer, persona, world) : undefined),
  },
  {
    operation: 'updateWatchArea',
    what: 'a watch area of the owner',
    request: async (world) => ['PUT', api(`/watchers/${await createOwnArea(world)}`), { name: 'Another name', ...circle() }],
    expected: 404,
    exceptFor: onlyTheirs(200),
  },
  {
    operation: 'updateWatchArea',
    what: 'a watch area of the owner, with an incomplete box',
    request: async (world) => ['PUT', api(`/watchers/${await createOwnArea(world)}`), { min_lat: 1 }],
    expected: 404,
    exceptFor: onlyTheirs(422),
  },
  {
    operation: 'updateWatchArea',
    what: 'an unknown watch area',
    request: () => ['PUT', api(`/watchers/${UNKNOWN_ID}`), { name: 'Another name' }],
    expected: 404,
    exceptFor: anonymous401,
  },
  {
    operation: 'renewWatcherToken',
    what: 'a watch area of the owner',
    request: async (world) => ['POST', api(`/watchers/${await createOwnArea(world)}/token`)],
    expected: 404,
    exceptFor: onlyTheirs(201),
    check: (answer, persona, world) => (answer.status === 201 ? showsTheirOwn(answer, persona, world) : undefined),
  },
  {
    operation: 'renewWatcherToken',
    what: 'an unknown watch area',
    request: () => ['POST', api(`/watchers/${UNKNOWN_ID}/token`)],
    expected: 404,
    exceptFor: anonymous401,
  },
  {
    operation: 'deleteWatchArea',
    what: 'a watch area of the owner',
    request: async (world) => ['DELETE', api(`/watchers/${await createOwnArea(world)}`)],
    expected: 404,
    exceptFor: onlyOwner,
  },
]
