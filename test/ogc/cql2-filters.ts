import fc from 'fast-check'

/** A filter with both of its encodings and a plain evaluation over the properties of a feature; null is unknown. */
export interface AnyFilter {
  readonly text: string
  readonly json: unknown
  readonly evaluate: (feature: TestFeature) => boolean | null
}

export interface TestFeature {
  readonly id: number
  readonly geometry: { readonly coordinates: readonly [number, number] }
  readonly properties: Readonly<Record<string, string | number | null>>
}

const quote = (value: string) => `'${value.replaceAll("'", "''")}'`
const property = (name: string) => ({ property: name })

const operators: Readonly<Record<string, (order: number) => boolean>> = {
  '=': (order) => order === 0,
  '<>': (order) => order !== 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
}
const operator = fc.constantFrom(...Object.keys(operators))

type Scalar = string | number | null
const orderOf = (left: Scalar, right: Scalar) => (left === right ? 0 : (left as string) < (right as string) ? -1 : 1)
const holds = (symbol: string, left: Scalar, right: Scalar) =>
  left === null || right === null ? null : (operators[symbol]?.(orderOf(left, right)) ?? false)

export const words = ['Hole', 'hole', 'Lamp', "Ada's lamp", 'Übel', '100%', 'a_b', 'Z']
export const instants = [
  '2026-01-01T00:00:00Z',
  '2026-01-01T10:00:00Z',
  '2026-01-01T23:59:59Z',
  '2026-01-02T00:00:00Z',
  '2026-02-01T12:00:00Z',
]
const textProperty = fc.constantFrom('summary', 'address', 'description', 'status', 'request_type')
const numberProperty = fc.constantFrom('rating_count', 'request_type_id')
const timeProperty = fc.constantFrom('created_at', 'acknowledged_at', 'closed_at')
const word = fc.constantFrom(...words, 'Open', 'Closed')
const number = fc.oneof(fc.integer({ min: 0, max: 6 }), fc.constantFrom(2.5, -1, 1e10))
const instant = fc.constantFrom(...instants)

const comparison: fc.Arbitrary<AnyFilter> = fc.oneof(
  fc.tuple(operator, textProperty, word).map(([symbol, name, value]) => ({
    text: `${name} ${symbol} ${quote(value)}`,
    json: { op: symbol, args: [property(name), value] },
    evaluate: ({ properties }: TestFeature) => holds(symbol, properties[name] ?? null, value),
  })),
  fc.tuple(operator, numberProperty, number).map(([symbol, name, value]) => ({
    text: `"${name}"${symbol}${value}`,
    json: { op: symbol, args: [property(name), value] },
    evaluate: ({ properties }: TestFeature) => holds(symbol, properties[name] ?? null, value),
  })),
  fc.tuple(operator, timeProperty, instant).map(([symbol, name, value]) => ({
    text: `${name} ${symbol} TIMESTAMP(${quote(value)})`,
    json: { op: symbol, args: [property(name), { timestamp: value }] },
    evaluate: ({ properties }: TestFeature) => holds(symbol, properties[name] ?? null, value),
  })),
  fc.tuple(operator, timeProperty, timeProperty).map(([symbol, left, right]) => ({
    text: `${left} ${symbol} ${right}`,
    json: { op: symbol, args: [property(left), property(right)] },
    evaluate: ({ properties }: TestFeature) => holds(symbol, properties[left] ?? null, properties[right] ?? null),
  })),
)

const listed: fc.Arbitrary<AnyFilter> = fc.oneof(
  fc.tuple(numberProperty, number, number).map(([name, low, high]) => ({
    text: `${name} BETWEEN ${low} and ${high}`,
    json: { op: 'between', args: [property(name), low, high] },
    evaluate: ({ properties }: TestFeature) => {
      const value = properties[name] ?? null
      return value === null ? null : Number(value) >= low && Number(value) <= high
    },
  })),
  fc.tuple(textProperty, fc.array(word, { minLength: 1, maxLength: 3 })).map(([name, list]) => ({
    text: `${name} in (${list.map(quote).join(', ')})`,
    json: { op: 'in', args: [property(name), list] },
    evaluate: ({ properties }: TestFeature) => {
      const value = properties[name] ?? null
      return value === null ? null : list.includes(String(value))
    },
  })),
  fc.tuple(textProperty, fc.constantFrom('%', '%l%', 'H_le', '%\\%', 'a\\_b', '')).map(([name, pattern]) => ({
    text: `${name} LIKE ${quote(pattern)}`,
    json: { op: 'like', args: [property(name), pattern] },
    evaluate: ({ properties }: TestFeature) => {
      const value = properties[name] ?? null
      return value === null ? null : toExpression(pattern).test(String(value))
    },
  })),
  fc.constantFrom('address', 'closed_at', 'request_type_id').map((name) => ({
    text: `${name} IS NULL`,
    json: { op: 'isNull', args: [property(name)] },
    evaluate: ({ properties }: TestFeature) => (properties[name] ?? null) === null,
  })),
)

/** Converts a pattern of LIKE, in which a backslash escapes the next character. */
function toExpression(pattern: string): RegExp {
  const parts = [...pattern.matchAll(/\\(.)|(%)|(_)|([^])/g)].map(([, escaped, any, one, plain]) =>
    any ? '[^]*' : one ? '[^]' : (escaped ?? plain ?? '').replace(/[.*+?^${}()|[\]\\]/g, '\\$&'),
  )
  return new RegExp(`^${parts.join('')}$`, 'u')
}

const spatial: fc.Arbitrary<AnyFilter> = fc
  .tuple(...([-20, -20, 1, 1] as const).map((min) => fc.integer({ min, max: 20 })))
  .map(([west = 0, south = 0, width = 1, height = 1]) => {
    const [east, north] = [west + width, south + height]
    const ring = [
      [west, south],
      [east, south],
      [east, north],
      [west, north],
      [west, south],
    ]
    return {
      text: `S_INTERSECTS(geometry, POLYGON((${ring.map((position) => position.join(' ')).join(', ')})))`,
      json: { op: 's_intersects', args: [property('geometry'), { type: 'Polygon', coordinates: [ring] }] },
      evaluate: ({ geometry: { coordinates } }: TestFeature) =>
        coordinates[0] >= west && coordinates[0] <= east && coordinates[1] >= south && coordinates[1] <= north,
    }
  })

const temporal: fc.Arbitrary<AnyFilter> = fc
  .tuple(fc.constantFrom('T_AFTER', 'T_BEFORE', 'T_INTERSECTS', 'T_DURING', 'T_DISJOINT'), timeProperty, instant, instant)
  .map(([name, property_name, one, other]) => {
    const [from = '', to = ''] = [one, other].toSorted()
    const relation: Readonly<Record<string, (value: string) => boolean>> = {
      T_AFTER: (value) => value > to,
      T_BEFORE: (value) => value < from,
      T_INTERSECTS: (value) => value >= from && value <= to,
      T_DURING: (value) => value > from && value < to,
      T_DISJOINT: (value) => value < from || value > to,
    }
    return {
      text: `${name}(${property_name}, INTERVAL('${from}', '${to}'))`,
      json: { op: name.toLowerCase(), args: [property(property_name), { interval: [from, to] }] },
      evaluate: ({ properties }: TestFeature) => {
        const value = properties[property_name] ?? null
        return value === null ? null : (relation[name]?.(String(value)) ?? false)
      },
    }
  })

/** Random filters, combined by AND, OR and NOT with three truth values. */
export const anyFilter: fc.Arbitrary<AnyFilter> = fc.letrec<{ filter: AnyFilter }>((tie) => ({
  filter: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    comparison,
    listed,
    spatial,
    temporal,
    tie('filter').map((inner) => ({
      text: `NOT (${inner.text})`,
      json: { op: 'not', args: [inner.json] },
      evaluate: (feature: TestFeature) => {
        const value = inner.evaluate(feature)
        return value === null ? null : !value
      },
    })),
    fc.tuple(fc.constantFrom('and', 'or'), tie('filter'), tie('filter')).map(([op, left, right]) => ({
      text: `(${left.text}) ${op.toUpperCase()} (${right.text})`,
      json: { op, args: [left.json, right.json] },
      evaluate: (feature: TestFeature) => combine(op === 'and', left.evaluate(feature), right.evaluate(feature)),
    })),
  ),
})).filter

function combine(isAnd: boolean, left: boolean | null, right: boolean | null): boolean | null {
  if (left === !isAnd || right === !isAnd) return !isAnd
  return left === null || right === null ? null : isAnd
}
