import fc from 'fast-check'

const number = fc.integer({ min: -20, max: 20 })
const position = fc.tuple(number, number)
const line = fc.array(position, { minLength: 2, maxLength: 4 })
const ring = fc.tuple(position, fc.integer({ min: 1, max: 9 })).map(([[x, y], size]) => [
  [x, y],
  [x + size, y],
  [x, y + size],
  [x, y],
])
const simple = <Coordinates>(type: string, coordinates: fc.Arbitrary<Coordinates>) =>
  coordinates.map((value): object => ({ type, coordinates: value }))

const geometry = fc.letrec<{ geometry: object }>((tie) => ({
  geometry: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    simple('Point', position),
    simple('LineString', line),
    simple('Polygon', fc.tuple(ring)),
    simple('MultiPoint', line),
    simple('MultiLineString', fc.array(line, { minLength: 1, maxLength: 2 })),
    simple('MultiPolygon', fc.tuple(fc.tuple(ring))),
    fc.tuple(number, number, number, number).map((bbox): object => ({ bbox })),
    fc
      .array(tie('geometry'), { minLength: 1, maxLength: 3 })
      .map((geometries): object => ({ type: 'GeometryCollection', geometries })),
  ),
})).geometry

/** Undefined removes a member. */
const wrong = fc.constantFrom<unknown>(
  undefined,
  null,
  [],
  {},
  [[]],
  'x',
  true,
  0,
  1e9,
  [1],
  [0, 0],
  [1, 2, 3, 4],
  [
    [0, 0],
    [0, 0],
  ],
  { type: 'Point' },
)

/** CQL2 JSON with a geometry of which one part, at any depth, is missing or another value. */
export const damagedGeometryFilter = fc
  .tuple(geometry, fc.nat(), wrong)
  .map(([whole, n, value]) =>
    JSON.stringify({ op: 's_intersects', args: [{ property: 'geometry' }, replacePart(whole, n, value) ?? null] }),
  )

function replacePart(whole: object, n: number, value: unknown): unknown {
  let parts = 0
  JSON.stringify(whole, (_key, part: unknown) => (parts++, part))
  let part = 0
  const damaged = JSON.stringify(whole, (_key, current: unknown) => (part++ === n % parts ? value : current)) as string | undefined
  return damaged === undefined ? undefined : JSON.parse(damaged)
}
