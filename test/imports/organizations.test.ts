import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { type Database, sql } from '../../src/database/database.ts'
import { openTestDatabase, resetDatabase } from '../helpers/database.ts'
import { GREEN, createFactories, square } from '../helpers/factories.ts'
import { emptyReport, organization, question, requestType, importInto, createTally } from './organization-values.ts'
import { queryRows } from '../helpers/query-rows.ts'

let database: Database
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())
beforeEach(() => resetDatabase(database))

const run = (...args: Parameters<ReturnType<typeof importInto>>) => importInto(database)(...args)
const organizations = () =>
  queryRows<Record<string, unknown>>(
    database,
    sql`
    SELECT o.id, o.name, o.hold_everything, o.guest_reports, ST_AsText(o.area) AS area, o.updated_at, o.changed_at FROM organizations o ORDER BY o.id`,
  )
const types = () => queryRows<Record<string, unknown>>(database, sql`SELECT rt.* FROM request_types rt ORDER BY rt.id`)
const questions = () => queryRows<Record<string, unknown>>(database, sql`SELECT q.* FROM request_type_questions q ORDER BY q.id`)
const everything = async () => [await organizations(), await types(), await questions()]

const city = [
  organization({
    hold_everything: true,
    request_types: [
      {
        ...requestType(
          'Pothole',
          question('What is it?', { primary_key: 'summary', response_required: true }),
          question('Tell us more', { primary_key: 'description', question_type: 'textarea' }),
          question('How wide?', { question_type: 'select', select_values: ['A plate', { key: 'w', name: 'Wider' }] }),
          question('Which lanes?', { question_type: 'multivaluelist', select_values: ['Left', 'Right'] }),
          question('How deep, in inches?', { question_type: 'number' }),
          question('Since when?', { question_type: 'datetime' }),
          question('Is it offensive?', { primary_key: 'offensive', question_type: 'boolean' }),
          question('Call 911 if someone is hurt.', { question_type: 'note' }),
          question('Your telephone number', { answer_kept_private: true }),
          question('A picture', { question_type: 'file' }),
          question('Another one, of the damage', { question_type: 'file' }),
        ),
        category: 'pothole',
        position: 7,
      },
      requestType('Graffiti'),
    ],
  }),
  organization({ name: 'Parks' }),
]

describe('importOrganizations', () => {
  it('stores the keys of choices byte for byte', async () => {
    const keys = [' a', 'a', 'A ', 'caf\u00e9', 'cafe\u0301', '\u200b', '👩\u200d🚒']
    const choices = keys.map((key, n) => ({ key, name: `No. ${n}` }))
    const select = question('Which?', { question_type: 'select', select_values: [...choices, ' plain '] })

    await run([organization({ request_types: [requestType('Lamp', select)] })])

    const [stored] = await questions()
    expect(stored?.['select_values']).toEqual([...choices, { key: ' plain ', name: 'plain' }])
  })

  it('turns reports by guests on and off, and leaves the setting without the key', async () => {
    const tallies = []
    const settings = []
    for (const input of [{}, { guest_reports: true }, {}, { guest_reports: true }, { guest_reports: false }]) {
      tallies.push((await run([organization({ hold_everything: false, request_types: [], ...input })])).organizations)
      settings.push((await organizations())[0]?.['guest_reports'])
    }

    expect(settings).toEqual([false, true, true, true, false])
    expect(tallies).toEqual([{ new: 1 }, { changed: 1 }, { unchanged: 1 }, { unchanged: 1 }, { changed: 1 }].map(createTally))
  })

  it('sets the inbox address, leaves it without the key, and removes it', async () => {
    const tallies = []
    const inboxes = []
    for (const input of [
      { inbox_email: 'Works@City.Example' },
      {},
      { inbox_email: 'Works@city.example' },
      { inbox_email: false },
    ]) {
      tallies.push((await run([organization({ request_types: [], ...input })])).organizations)
      inboxes.push((await database.prisma.organization.findFirstOrThrow()).inbox_email)
    }

    expect(inboxes).toEqual([...Array<string>(3).fill('Works@city.example'), null])
    expect(tallies).toEqual([{ new: 1 }, { unchanged: 1 }, { unchanged: 1 }, { changed: 1 }].map(createTally))
  })

  it('adds the type for reports of an unnamed kind, retires it, and leaves it without the key', async () => {
    const input = (more = {}) => [organization({ request_types: [requestType('Pothole')], ...more })]
    const states = []
    for (const more of [{ takes_other: true }, {}, { takes_other: true }, { takes_other: false }, { takes_other: true }]) {
      const { requestTypes } = await run(input(more))
      const other = (await types()).find(({ title }) => title === 'Other')
      states.push([
        other?.['id'],
        other?.['is_other'],
        other?.['active'],
        requestTypes.new + requestTypes.changed + requestTypes.retired,
      ])
    }

    const id = states[0]?.[0]
    expect(states).toEqual([
      [id, true, true, 2],
      [id, true, true, 0],
      [id, true, true, 0],
      [id, false, false, 1],
      [id, true, true, 1],
    ])
    expect((await questions()).filter(({ request_type_id }) => request_type_id === id).map(({ built_in }) => built_in)).toEqual([
      'summary',
      'description',
      'issue_image',
    ])
  })

  it('creates organisations, request types and questions of every kind', async () => {
    const report = await run(city)

    expect(report).toEqual({
      ...emptyReport,
      organizations: createTally({ new: 2 }),
      requestTypes: createTally({ new: 2 }),
      questions: createTally({ new: 11 }),
    })
    expect(await organizations()).toMatchObject([
      { name: 'Public Works', hold_everything: true, area: expect.stringMatching(/^MULTIPOLYGON\(\(\(-73\.02/) },
      { name: 'Parks', hold_everything: false },
    ])
    expect(await types()).toMatchObject([
      { organization_id: 1, title: 'Pothole', category: 'pothole', position: 7, active: true },
      { organization_id: 1, title: 'Graffiti', category: 'other', position: 1, active: true },
    ])
    const made = (await questions()).map((q) => [
      ...[q['built_in'], q['question_type'], q['response_required'], q['answer_kept_private'], q['position']],
      q['select_values'],
    ])
    expect(made).toEqual([
      ['summary', 'text', true, false, 0, null],
      ['description', 'textarea', false, false, 1, null],
      [null, 'select', false, false, 2, [{ key: 'A plate', name: 'A plate' }, { key: 'w', name: 'Wider' }]], // prettier-ignore
      [null, 'multivaluelist', false, false, 3, [{ key: 'Left', name: 'Left' }, { key: 'Right', name: 'Right' }]], // prettier-ignore
      [null, 'number', false, false, 4, null],
      [null, 'datetime', false, false, 5, null],
      ['offensive', 'boolean', false, false, 6, null],
      [null, 'note', false, false, 7, null],
      [null, 'text', false, true, 8, null],
      ['issue_image', 'file', false, false, 9, null],
      [null, 'file', false, false, 10, null],
    ])
  })

  it('is idempotent and does not change timestamps', async () => {
    await run(city)
    const before = await everything()

    const report = await run(city)

    expect(report).toEqual({
      ...emptyReport,
      organizations: createTally({ unchanged: 2 }),
      requestTypes: createTally({ unchanged: 2 }),
      questions: createTally({ unchanged: 11 }),
    })
    expect(await everything()).toEqual(before)
  })

  it('updates changed values and leaves values that the file omits', async () => {
    await run(city)
    const before = await organizations()

    const report = await run([{ name: 'Public Works', area: square(GREEN, 0.2) }])

    expect(report).toEqual({ ...emptyReport, organizations: createTally({ changed: 1 }) })
    expect(await organizations()).toEqual([
      {
        ...before[0],
        area: expect.stringContaining('-73.1279'),
        updated_at: expect.not.stringMatching(before[0]?.['updated_at'] as string),
        changed_at: expect.not.stringMatching(before[0]?.['changed_at'] as string),
      },
      before[1],
    ])
    expect((await types()).map((type) => type['active'])).toEqual([true, true])
  })

  it('does not change the id and the answers of a question with the same text', async () => {
    const create = createFactories(database)
    await run([organization({ request_types: [requestType('Pothole', question('How wide?'), question('Colour?'))] })])
    const on = await create.issue({ request_type: 1 })
    await create.formAnswer({ on, question: 'Colour?', answer: 'Red' })
    await database.execute(sql`UPDATE issue_answers SET question_id = 2`)

    const changed = [question('Since when?'), question('how wide?', { question_type: 'select', select_values: ['1', '2'] })]
    const report = await run([organization({ request_types: [requestType('POTHOLE', ...changed)] })])

    expect(report).toMatchObject({
      requestTypes: createTally({ changed: 1 }),
      questions: createTally({ new: 1, changed: 1, retired: 1 }),
    })
    expect(await types()).toMatchObject([{ id: 1, title: 'POTHOLE' }])
    expect(await questions()).toMatchObject([
      { id: 1, question: 'how wide?', question_type: 'select', position: 1, active: true },
      { id: 2, question: 'Colour?', active: false },
      { id: 3, question: 'Since when?', position: 0, active: true },
    ])
    expect(await queryRows(database, sql`SELECT a.question_id, a.answer FROM issue_answers a`)).toEqual([
      { question_id: 2, answer: 'Red' },
    ])
  })

  it('retires request types that the file removes and restores them with their id', async () => {
    const whole = [organization({ request_types: [requestType('Pothole', question('Wide?')), requestType('Snow')] })]
    await run(whole)

    const without = await run([organization({ request_types: [requestType('Snow')] })])
    const retired = await types()
    const again = await run(whole)

    expect(without.requestTypes).toEqual(createTally({ changed: 1, retired: 1 }))
    expect(retired.map((type) => type['active'])).toEqual([false, true])
    expect(again).toMatchObject({ requestTypes: createTally({ changed: 2 }), questions: createTally({ unchanged: 1 }) })
    expect((await types()).map((type) => [type['id'], type['active']])).toEqual([
      [1, true],
      [2, true],
    ])
  })

  it('creates and retires community request types, and leaves them if the file omits them', async () => {
    await run([], { community_request_types: [requestType('Idea'), requestType('Noise')] })

    const less = await run([], { community_request_types: [requestType('Idea')] })
    const silent = await run([])

    expect(less.requestTypes).toEqual(createTally({ unchanged: 1, retired: 1 }))
    expect(silent).toEqual(emptyReport)
    expect(await types()).toMatchObject([
      { organization_id: null, title: 'Idea', active: true },
      { organization_id: null, title: 'Noise', active: false },
    ])
  })

  it('reports each unknown key once', async () => {
    const odd = requestType('Pothole', question('Wide?', { hint: 1 }), question('Deep?', { hint: 2 }))

    const { ignoredKeys } = await run([organization({ colour: 1, request_types: [odd] })], { version: 2 })

    expect(ignoredKeys).toEqual(['version', 'organizations[].colour', 'organizations[].request_types[].questions[].hint'])
  })
})

describe('the area of an organisation', () => {
  const ring = square(GREEN, 0.1).coordinates[0] ?? []
  const hole = (square(GREEN, 0.05).coordinates[0] ?? []).toReversed()
  const east = square({ ...GREEN, lng: GREEN.lng + 0.1 }, 0.1)
  const feature = (geometry: object) => ({ type: 'Feature', properties: {}, geometry })
  const shapeOf = async (area: object) => {
    await run([organization({ area })])
    const [found] = await queryRows<Record<string, unknown>>(
      database,
      sql`
      SELECT ST_NumGeometries(o.area) AS parts, ST_NRings(o.area) AS rings, ST_NDims(o.area) AS dimensions FROM organizations o`,
    )
    return found
  }

  it.each([
    ['a Polygon with a hole', { type: 'Polygon', coordinates: [ring, hole] }, { parts: 1, rings: 2 }],
    [
      'a MultiPolygon',
      { type: 'MultiPolygon', coordinates: [[ring], square({ lng: 0, lat: 0 }).coordinates] },
      { parts: 2, rings: 2 },
    ],
    [
      'a Feature, heights dropped',
      feature({ type: 'Polygon', coordinates: [ring.map((at) => [...at, 7])] }),
      { parts: 1, rings: 1 },
    ],
    [
      'a FeatureCollection whose features overlap',
      { type: 'FeatureCollection', features: [feature(square(GREEN)), feature(east)] },
      { parts: 1, rings: 1 },
    ],
    ['the whole world', { type: 'Polygon', coordinates: [[[-180, -90], [180, -90], [180, 90], [-180, 90], [-180, -90]]] }, { parts: 1, rings: 1 }], // prettier-ignore
  ])('can be %s', async (_, area, expected) => {
    expect(await shapeOf(area)).toEqual({ ...expected, dimensions: 2 })
  })
})
