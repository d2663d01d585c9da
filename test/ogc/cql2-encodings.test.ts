import { describe, expect, it } from 'vitest'
import { inLanguage } from '../../src/locales/texts.ts'
import { FilterError } from '../../src/gis/cql2/ast.ts'
import { parseJson } from '../../src/gis/cql2/parse-json.ts'
import { parseText } from '../../src/gis/cql2/parse-text.ts'
import { withoutLocations } from './without-locations.ts'

/* A filter for each construct of OGC 21-065r2 (CQL2), in both encodings, as the examples of the standard pair them. */

const property = (name: string) => ({ property: name })
const operation = (op: string, ...args: readonly unknown[]) => ({ op, args })
const ring = [
  [0, 0],
  [10, 0],
  [10, 10],
  [0, 0],
]
const hole = [
  [6, 1],
  [8, 1],
  [8, 3],
  [6, 1],
]

const pairs: readonly (readonly [text: string, json: unknown])[] = [
  ["eo:scene = 'LC82'", operation('=', property('eo:scene'), 'LC82')],
  ['"full name" <> \'Ada\'', operation('<>', property('full name'), 'Ada')],
  ['cover < .1', operation('<', property('cover'), 0.1)],
  ['cover>=-1.5e2', operation('>=', property('cover'), -150)],
  ['pool = true', operation('=', property('pool'), true)],
  ["name = 'O''Brien'", operation('=', property('name'), "O'Brien")],
  [String.raw`name = 'O\'Brien'`, operation('=', property('name'), "O'Brien")],
  ['a = 1 AND b = 2 AND c = 3', operation('and', ...['a', 'b', 'c'].map((name, n) => operation('=', property(name), n + 1)))],
  [
    'a = 1 OR b = 2 AND c = 3',
    operation(
      'or',
      operation('=', property('a'), 1),
      operation('and', operation('=', property('b'), 2), operation('=', property('c'), 3)),
    ),
  ],
  [
    '(a = 1 or b = 2) and TRUE',
    operation('and', operation('or', operation('=', property('a'), 1), operation('=', property('b'), 2)), true),
  ],
  ['NOT (a = 1)', operation('not', operation('=', property('a'), 1))],
  ['NOT NOT FALSE', operation('not', operation('not', false))],
  ["owner LIKE 'Mike%'", operation('like', property('owner'), 'Mike%')],
  ["owner not like '%Mi_e'", operation('not', operation('like', property('owner'), '%Mi_e'))],
  ["CASEI(road) LIKE casei('Straße%')", operation('like', operation('casei', property('road')), operation('casei', 'Straße%'))],
  [
    "ACCENTI(CASEI(a)) = ACCENTI('é')",
    operation('=', operation('accenti', operation('casei', property('a'))), operation('accenti', 'é')),
  ],
  ['depth BETWEEN 100.0 and 150', operation('between', property('depth'), 100, 150)],
  [
    'depth NOT BETWEEN 1 AND 2 OR a = 1',
    operation('or', operation('not', operation('between', property('depth'), 1, 2)), operation('=', property('a'), 1)),
  ],
  ['kind IN (1,2,3)', operation('in', property('kind'), [1, 2, 3])],
  ["city NOT IN ('Tokyo','Rome')", operation('not', operation('in', property('city'), ['Tokyo', 'Rome']))],
  ['value IS NULL', operation('isNull', property('value'))],
  ['value IS NOT NULL', operation('not', operation('isNull', property('value')))],
  ["built = DATE('2015-01-01')", operation('=', property('built'), { date: '2015-01-01' })],
  ["TIMESTAMP('2015-01-01T01:02:03.004Z') > built", operation('>', { timestamp: '2015-01-01T01:02:03.004Z' }, property('built'))],
  ["T_BEFORE(built, DATE('2015-01-01'))", operation('t_before', property('built'), { date: '2015-01-01' })],
  ["t_during(built, INTERVAL('2015-01-01', '..'))", operation('t_during', property('built'), { interval: ['2015-01-01', '..'] })],
  [
    "T_FINISHEDBY(INTERVAL(starts, ends), INTERVAL('..', '2005-01-10T01:01:01Z'))",
    operation('t_finishedBy', { interval: [property('starts'), property('ends')] }, { interval: ['..', '2005-01-10T01:01:01Z'] }),
  ],
  [
    'S_INTERSECTS(geometry, POINT(36.3 -32.2))',
    operation('s_intersects', property('geometry'), { type: 'Point', coordinates: [36.3, -32.2] }),
  ],
  [
    'S_INTERSECTS(geometry, POINT Z (1 2 3))',
    operation('s_intersects', property('geometry'), { type: 'Point', coordinates: [1, 2, 3] }),
  ],
  [
    'S_INTERSECTS(geometry, BBOX(-128,-1.1,180,90))',
    operation('s_intersects', property('geometry'), { bbox: [-128, -1.1, 180, 90] }),
  ],
  ['S_INTERSECTS(BBOX(0,0,-9,1,1,9), geometry)', operation('s_intersects', { bbox: [0, 0, -9, 1, 1, 9] }, property('geometry'))],
  [
    'S_INTERSECTS(geometry, LINESTRING(0 0, 1 1))',
    operation('s_intersects', property('geometry'), {
      type: 'LineString',
      coordinates: [
        [0, 0],
        [1, 1],
      ],
    }),
  ],
  [
    'S_INTERSECTS(geometry, POLYGON((0 0,10 0,10 10,0 0),(6 1,8 1,8 3,6 1)))',
    operation('s_intersects', property('geometry'), { type: 'Polygon', coordinates: [ring, hole] }),
  ],
  [
    'S_INTERSECTS(geometry, MULTIPOINT(0 0,(1 1)))',
    operation('s_intersects', property('geometry'), {
      type: 'MultiPoint',
      coordinates: [
        [0, 0],
        [1, 1],
      ],
    }),
  ],
  [
    'S_INTERSECTS(geometry, MULTILINESTRING((0 0, 1 1),(2 2,3 3)))',
    operation('s_intersects', property('geometry'), {
      type: 'MultiLineString',
      coordinates: [
        [
          [0, 0],
          [1, 1],
        ],
        [
          [2, 2],
          [3, 3],
        ],
      ],
    }),
  ],
  [
    'S_INTERSECTS(geometry, MULTIPOLYGON(((0 0,10 0,10 10,0 0))))',
    operation('s_intersects', property('geometry'), { type: 'MultiPolygon', coordinates: [[ring]] }),
  ],
  [
    'S_INTERSECTS(geometry, GEOMETRYCOLLECTION(POINT(1 1),LINESTRING(0 0,1 1)))',
    operation('s_intersects', property('geometry'), {
      type: 'GeometryCollection',
      geometries: [
        { type: 'Point', coordinates: [1, 1] },
        {
          type: 'LineString',
          coordinates: [
            [0, 0],
            [1, 1],
          ],
        },
      ],
    }),
  ],
]

const refusal = (parse: () => unknown): string => {
  try {
    parse()
    return 'accepted'
  } catch (error) {
    return error instanceof FilterError ? inLanguage(error.text, 'en') : String(error)
  }
}

describe('CQL2', () => {
  it.each(pairs)('reads %s in both encodings as the same filter', (text, json) => {
    expect(withoutLocations(parseText(text))).toEqual(withoutLocations(parseJson(JSON.stringify(json))))
  })

  it.each([
    ['avg(windSpeed) < 4', operation('<', operation('avg', property('windSpeed')), 4), 'avg is not supported'],
    [
      'S_CROSSES(road, POINT(0 0))',
      operation('s_crosses', property('road'), { type: 'Point', coordinates: [0, 0] }),
      's_crosses is not supported',
    ],
    ["A_CONTAINS(ids, ('a','b'))", operation('a_contains', property('ids'), ['a', 'b']), 'a_contains is not supported'],
    ['foo(a)', operation('foo', property('a')), 'foo is not supported'],
  ])('refuses %s in both encodings by the name of the function', (text, json, reason) => {
    expect(refusal(() => parseText(text)).toLowerCase()).toContain(reason)
    expect(refusal(() => parseJson(JSON.stringify(json)))).toContain(reason)
  })

  it.each([
    'a * 2 > 0',
    '2 * a > 0',
    'a > 2 + 1',
    'a > 2 -1',
    'a -1 > 2',
    'a > (b - 1)',
    '(a + 1) > b',
    '0 = (a % 2)',
    '1 = (a div 2)',
    '- a < 2',
    'a BETWEEN 1 AND b^2',
    'a IN (1, b/2)',
  ])('refuses arithmetic by name in %s', (filter) => {
    expect(refusal(() => parseText(filter))).toContain('arithmetic is not supported')
  })

  it('refuses arithmetic by name in JSON', () => {
    const sum = operation('+', property('a'), 2)

    expect(refusal(() => parseJson(JSON.stringify(operation('>', sum, 0))))).toContain('at /args/0/op: arithmetic is not supported')
    expect(refusal(() => parseJson(JSON.stringify(sum)))).toContain('at /op: arithmetic is not supported')
  })
})
