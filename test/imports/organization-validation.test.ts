import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { type Database, sql } from '../../src/database/database.ts'
import { readOrganizationFile } from '../../src/imports/organizations/organization-file.ts'
import { openTestDatabase } from '../helpers/database.ts'
import { GREEN, square } from '../helpers/factories.ts'
import { writeTemporaryFile } from './files.ts'
import { organization, question, requestType, importInto } from './organization-values.ts'
import { queryRows } from '../helpers/query-rows.ts'

let database: Database
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

async function importErrors(organizations: unknown, top: object = {}): Promise<string[]> {
  const message = await importInto(database)(organizations, top).then(
    () => 'it was imported',
    (error: unknown) => (error as Error).message,
  )
  const [first = '', ...errors] = message.split('\n')
  expect(first).toBe('Nothing was changed, because city.json has errors:')
  return errors.map((line) => line.trim())
}

const organizationWithQuestions = (...questions: object[]) => [
  organization({ request_types: [requestType('Pothole', ...questions)] }),
]
const first = 'organizations[0].request_types[0].questions[0]'

describe('validation of organisations', () => {
  it('reports all errors at once by path and changes nothing', async () => {
    const errors = await importErrors([
      organization({ members: [{ email: 'invalid' }, { email: 'a@b.c', role: 'boss' }, 7] }),
      { name: ' ', request_types: [{ title: 'x'.repeat(201), category: 'hole', position: -1, questions: {} }, null] },
      organization({
        hold_everything: 'yes',
        request_types: [requestType('A', question('Q'), question('Wide?', { question_type: 'colour' }))],
      }),
    ])

    expect(errors).toEqual([
      'organizations[0].members[0].email must be an e-mail address',
      'organizations[0].members[1].role must be one of employee, moderator, manager, owner',
      'organizations[0].members[2] must be an object',
      'organizations[1].name is missing',
      'organizations[1].area is missing',
      'organizations[1].request_types[0].title must be at most 200 characters long',
      expect.stringMatching(/^organizations\[1\]\.request_types\[0\]\.category must be one of pothole, graffiti, .*, other$/),
      'organizations[1].request_types[0].position must be at least 0',
      'organizations[1].request_types[0].questions must be a list',
      'organizations[1].request_types[1] must be an object',
      'organizations[2].hold_everything must be true or false',
      'organizations[2].request_types[0].questions[1].question_type must be one of text, textarea, select, multivaluelist, number, datetime, boolean, note, file', // prettier-ignore
    ])
    expect(await queryRows(database, sql`SELECT o.name FROM organizations o`)).toEqual([])
  })

  it.each([
    [
      'a select question without choices',
      question('Q', { question_type: 'select' }),
      'select_values must be a list of one or more choices',
    ],
    [
      'an empty list of choices',
      question('Q', { question_type: 'multivaluelist', select_values: [] }),
      'select_values must be a list of one or more choices',
    ],
    [
      'choices at a text question',
      question('Q', { select_values: ['a'] }),
      'select_values is only allowed for select and multivaluelist',
    ],
    [
      'a repeated key',
      question('Q', { question_type: 'select', select_values: ['a', 'a'] }),
      'select_values[1] repeats the key "a"',
    ],
    [
      'a choice without a name',
      question('Q', { question_type: 'select', select_values: [{ key: 'a' }] }),
      'select_values[0].name is missing',
    ],
    [
      'an unknown built-in question',
      question('Q', { primary_key: '12' }),
      'primary_key must be one of summary, description, issue_image, offensive',
    ],
    [
      'a summary that is a number',
      question('Q', { primary_key: 'summary', question_type: 'number' }),
      'question_type must be text if primary_key is summary',
    ],
    [
      'a note that requires a response',
      question('Q', { question_type: 'note', response_required: true }),
      'response_required must be false, because a note has no answer',
    ],
    ['a flag that is not a boolean', question('Q', { response_required: 'no' }), 'response_required must be true or false'],
    ['a blank text', question(' '), 'question is missing'],
    ['a NUL', question('a\0b'), 'question must not contain the character U+0000'],
  ])('rejects %s', async (_, input, error) => {
    expect(await importErrors(organizationWithQuestions(input))).toEqual([`${first}.${error}`])
  })

  it('rejects repeated questions', async () => {
    const twice = organizationWithQuestions(
      question('Wide?'),
      question('WIDE?'),
      question('A', { primary_key: 'summary' }),
      question('B', { primary_key: 'summary' }),
    )

    expect(await importErrors(twice)).toEqual([
      'organizations[0].request_types[0].questions[1].question is the same question as organizations[0].request_types[0].questions[0].question',
      'organizations[0].request_types[0].questions[3] is the same built-in as organizations[0].request_types[0].questions[2]',
    ])
  })

  it('rejects repeated members, organisations and titles', async () => {
    const errors = await importErrors([
      organization({ members: [{ email: 'a@b.c' }, { email: 'A@B.C' }] }),
      organization({ name: 'public works', request_types: [requestType('A'), requestType('B'), requestType('a')] }),
    ])

    expect(errors).toEqual([
      'organizations[0].members[1].email is the same address as organizations[0].members[0].email',
      'organizations[1].request_types[2].title is the same title as organizations[1].request_types[0].title',
      'organizations[1].name is the same name as organizations[0].name',
    ])
  })

  it('rejects a community request type named Other', async () => {
    expect(await importErrors([], { community_request_types: [requestType('OTHER')] })).toEqual([
      'community_request_types[0].title is reserved: this request type always exists',
    ])
  })

  it('rejects too many entries and reports at most 100 errors', async () => {
    const bad = Array.from({ length: 101 }, () => 1)

    const questions = await importErrors(organizationWithQuestions(...Array.from({ length: 101 }, (_, n) => question(`Q${n}`))))
    const limited = await importErrors(bad)

    expect(questions).toEqual(['organizations[0].request_types[0].questions must have at most 100 entries'])
    expect(limited).toHaveLength(101)
    expect(limited.at(-1)).toBe('… and 1 more')
  })
})

const ring = (...positions: unknown[]) => ({ type: 'Polygon', coordinates: [positions] })
const at = 'organizations[0].area'

describe('validation of an area', () => {
  const notClosed = 'ring 1 of polygon 1 is not closed: its last position must be its first'
  const otherType = 'must be a GeoJSON Polygon or MultiPolygon, not a'

  it.each([
    ['a point', { type: 'Point', coordinates: [0, 0] }, `${at} ${otherType} Point`],
    ['a text', 'POLYGON', expect.stringContaining(`${at} must be a GeoJSON Polygon`)],
    ['a polygon without rings', { type: 'Polygon', coordinates: [] }, expect.stringContaining(`${at} polygon 1 `)],
    ['a multipolygon without polygons', { type: 'MultiPolygon' }, expect.stringContaining(at)],
    ['a collection without features', { type: 'FeatureCollection', features: [] }, `${at} ${otherType} FeatureCollection`],
    [
      'a feature with a line',
      {
        type: 'FeatureCollection',
        features: [square(GREEN), { type: 'Feature', geometry: { type: 'LineString', coordinates: [] } }],
      },
      `${at}.features[1].geometry ${otherType} LineString`,
    ],
    [
      'positions with the latitude first',
      ring([41, -72], [41, -172], [42, -72], [41, -72]),
      `${at} position 2 of ring 1 of polygon 1 must have a latitude from -90 to 90`,
    ],
    ['an open ring', ring([0, 0], [1, 0], [1, 1], [0, 1]), `${at} ${notClosed}`],
    ['a bow tie', ring([0, 0], [2, 2], [2, 0], [0, 2], [0, 0]), `${at} is not a valid area: Self-intersection[1 1]`],
    [
      'an edge across the antimeridian',
      ring([179, 0], [-179, 0], [-179, 1], [179, 1], [179, 0]),
      `${at} ring 1 of polygon 1 crosses the antimeridian at position 2: cut the area in two there (RFC 7946, 3.1.9)`,
    ],
    [
      'another coordinate system',
      { ...square(GREEN), crs: { properties: { name: 'EPSG:3857' } } },
      `${at} cannot be imported: the crs ("EPSG:3857") is not WGS84: convert the data to WGS84 first (ogr2ogr -t_srs EPSG:4326)`,
    ],
  ])('rejects %s', async (_, area, error) => {
    expect(await importErrors([organization({ area })])).toEqual([error])
  })
})

describe('readOrganizationFile', () => {
  it.each([
    ['a file that is not JSON', '{"organizations": [', /is not JSON: /],
    ['a file that is not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), /is not UTF-8\.$/],
    ['a list', '[]', /The file must be an object$/],
    ['a file without organisations', '{}', /organizations is missing$/],
  ])('refuses %s', async (_, content, error) => {
    await expect(readOrganizationFile(writeTemporaryFile('city.json', content))).rejects.toThrow(error)
  })

  it('refuses a missing file', async () => {
    await expect(readOrganizationFile('missing.json')).rejects.toThrow('File not found: missing.json')
  })
})
