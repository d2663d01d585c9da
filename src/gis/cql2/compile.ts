import { text, type Text } from '../../locales/texts.ts'
import { join, type Sql, sql } from '../../database/database.ts'
import { idMax } from '../../http/schema/fields.ts'
import { GEOMETRY, type QueryableProperty, type QueryableRow } from './queryable.ts'
import { type Condition, type Value, FilterError, toTemporal } from './ast.ts'
import type { FilterGeometry } from './geometry.ts'
import { comparePeriods, compareTemporally, type Period, toPeriod } from './periods.ts'
import { type Comparison, flip, operatorSql } from './relations.ts'

type PropertyValue = Extract<Value, { kind: 'property' }>
type TypeName = 'text' | 'number' | 'temporal' | 'boolean'

const expected = (what: Text | string, { at }: Value) => new FilterError(text('expected_only', { expected: what }), at)

const typeTexts = {
  text: text('filter_text'),
  number: text('filter_number'),
  temporal: text('filter_instant'),
  boolean: text('filter_boolean'),
} as const

const INSTANTS: ReadonlySet<Value['kind']> = new Set(['property', 'timestamp', 'date'])

/**
 * Returns the predicate of a filter with all values as parameters. It is null where a property is null, as CQL2 requires.
 * @param geometries the geometries of the filter by their values (`resolveGeometry`)
 * @throws FilterError for unknown properties and values of another type
 */
export function compileFilter(
  condition: Condition,
  row: QueryableRow,
  geometries: ReadonlyMap<Value, FilterGeometry> = new Map(),
): Sql {
  return compile(condition, false)

  function compile(node: Condition, isNegated: boolean): Sql {
    switch (node.kind) {
      case 'and':
      case 'or':
        return sql`(${join(
          node.conditions.map((inner) => compile(inner, isNegated)),
          node.kind === 'and' ? ' AND ' : ' OR ',
        )})`
      case 'not':
        return sql`NOT (${compile(node.condition, true)})`
      case 'constant':
        return node.value ? sql`TRUE` : sql`FALSE`
      case 'compare':
        return node.operator === '='
          ? compileEquality(node.left, node.right, isNegated)
          : compare(node.operator, node.left, node.right)
      case 'between':
        return sql`(${compare('>=', node.value, node.low)} AND ${compare('<=', node.value, node.high)})`
      case 'in':
        return compileIn(node.value, node.list, isNegated)
      case 'like':
        return sql`${compileText(node.value)} LIKE ${compilePattern(node.pattern)}`
      case 'isNull':
        return compileIsNull(node.value)
      case 'intersects':
        return compileIntersects(node)
      case 'temporal':
        return compareTemporally(node.function, period(node.left), period(node.right))
    }
  }

  function compileEquality(left: Value, right: Value, isNegated: boolean): Sql {
    if (left.kind === 'text' && right.kind === 'property') return compileEquality(right, left, isNegated)
    return compileLookup(left, [right], isNegated) ?? compare('=', left, right)
  }

  /** The value is computed once for each row, however many items the list has. */
  function compileIn(value: Value, list: readonly Value[], isNegated: boolean): Sql {
    const lookup = compileLookup(value, list, isNegated)
    if (lookup) return lookup
    const types = new Set(list.map((item) => comparedType(value, item)))
    if (types.size === 1 && types.has('text')) return sql`${compileText(value)} = ANY(ARRAY[${join(list.map(compileText))}])`
    if (types.size === 1 && types.has('number')) return sql`${compileNumber(value)} = ANY(ARRAY[${join(list.map(compileNumber))}])`
    return sql`(${join(
      list.map((item) => compare('=', value, item)),
      ' OR ',
    )})`
  }

  /** This condition is false where the comparison is null, so it cannot be negated. */
  function compileLookup(value: Value, list: readonly Value[], isNegated: boolean): Sql | undefined {
    if (value.kind !== 'property' || isNegated) return undefined
    const texts = list.flatMap((item) => (item.kind === 'text' ? [item.value] : []))
    return texts.length === list.length ? row.queryables.get(value.name)?.isOneOf?.(texts) : undefined
  }

  function compare(operator: Comparison, left: Value, right: Value): Sql {
    const type = comparedType(left, right)
    if (type === 'temporal') return comparePeriods(operator, instant(left), instant(right))
    if (type === 'number') return compareNumeric(operator, left, right)
    // Text is ordered by code points, which does not depend on the locale of a server.
    if (type === 'text') return sql`${compileText(left)} ${operatorSql(operator)} ${compileText(right)} COLLATE "C"`
    return sql`${compileBoolean(left)} ${operatorSql(operator)} ${compileBoolean(right)}`
  }

  /** Text may also be a date, so the other side decides the type, and a property before all. */
  function comparedType(left: Value, right: Value): TypeName {
    const property = [left, right].find((value) => unwrap(value).kind === 'property')
    if (property) return typeOf(property)
    return [left, right].map(typeOf).find((type) => type !== 'text') ?? 'text'
  }

  function typeOf(value: Value): TypeName {
    switch (value.kind) {
      case 'property': {
        const { type } = findProperty(value)
        return type === 'timestamp' ? 'temporal' : type === 'text' ? 'text' : 'number'
      }
      case 'number':
      case 'boolean':
      case 'text':
        return value.kind
      case 'casei':
      case 'accenti':
        return 'text'
      case 'date':
      case 'timestamp':
        return 'temporal'
      case 'interval':
      case 'geometry':
        throw expected(text('filter_value'), value)
    }
  }

  function compareNumeric(operator: Comparison, left: Value, right: Value): Sql {
    if (left.kind !== 'property' && right.kind === 'property') return compareNumeric(flip(operator), right, left)
    return sql`${compileNumber(left)} ${operatorSql(operator)} ${compileNumber(right)}`
  }

  /** An integer that fits the column lets an index serve the comparison. */
  function compileNumber(value: Value): Sql {
    if (value.kind === 'property' && typeOf(value) === 'number') return findProperty(value).sql
    if (value.kind !== 'number') throw expected(typeTexts.number, value)
    const isInteger = Number.isInteger(value.value) && Math.abs(value.value) <= idMax
    return isInteger ? sql`${value.value}::integer` : sql`${value.value}::double precision`
  }

  function compileText(value: Value): Sql {
    if (value.kind === 'text') return sql`${value.value}::text`
    if (value.kind === 'casei') return (isColumn(value.value) ? foldCaseOfColumn : foldCase)(compileText(value.value))
    if (value.kind === 'accenti') return compileUnaccent(value)
    if (value.kind === 'property' && typeOf(value) === 'text') return findProperty(value).sql
    throw expected(typeTexts.text, value)
  }

  function isColumn(value: Value): boolean {
    return value.kind === 'property' && row.queryables.get(value.name)?.cost_ns === undefined
  }

  /** PostgreSQL calls `unaccent` for each row even if its argument is constant, but runs such a subquery once. */
  function compileUnaccent({ value }: Extract<Value, { kind: 'casei' | 'accenti' }>): Sql {
    const call = sql`unaccent(${compileText(value)})`
    return unwrap(value).kind === 'text' ? sql`(SELECT ${call})` : call
  }

  function compilePattern(value: Value): Sql {
    const pattern = unwrap(value)
    // PostgreSQL refuses a pattern that ends with its escape character.
    if (pattern.kind !== 'text' || /(?<!\\)(?:\\\\)*\\$/.test(pattern.value)) throw expected(text('filter_pattern'), pattern)
    return compileText(value)
  }

  function compileBoolean(value: Value): Sql {
    if (value.kind !== 'boolean') throw expected(typeTexts.boolean, value)
    return value.value ? sql`TRUE` : sql`FALSE`
  }

  function compileIsNull(value: Value): Sql {
    const property = unwrap(value)
    if (property.kind !== 'property') throw expected(text('filter_property'), property)
    if (property !== value) return sql`${compileText(value)} IS NULL`
    return property.name === GEOMETRY ? sql`FALSE` : sql`${findProperty(property).sql} IS NULL`
  }

  function compileIntersects({ left, right, at }: Extract<Condition, { kind: 'intersects' }>): Sql {
    const literal = [left, right].find(({ kind }) => kind === 'geometry')
    const property = [left, right].find(({ kind }) => kind === 'property')
    if (property?.kind === 'property' && property.name !== GEOMETRY && row.queryables.has(property.name))
      throw expected(text('filter_geometry'), property)
    if (property?.kind === 'property' && property.name !== GEOMETRY) throw unknownProperty(property)
    const geometry = literal && geometries.get(literal)
    if (!property || !geometry) throw new FilterError(text('expected_only', { expected: text('filter_property_and_geometry') }), at)
    return row.intersects(geometry)
  }

  function instant(value: Value): Period {
    const temporal = toTemporal(value)
    if (!INSTANTS.has(temporal.kind)) throw expected(typeTexts.temporal, value)
    return period(temporal)
  }

  function period(value: Value): Period {
    return toPeriod(toTemporal(value), (property) => {
      if (typeOf(property) !== 'temporal') throw expected(text('filter_temporal'), property)
      return findProperty(property).sql
    })
  }

  function findProperty(value: PropertyValue): QueryableProperty {
    const property = row.queryables.get(value.name)
    if (!property) throw unknownProperty(value)
    return property
  }

  function unknownProperty({ name, at }: PropertyValue): FilterError {
    const names = [...row.queryables.keys(), GEOMETRY].join(', ')
    return new FilterError(text('property_unknown', { name: name.slice(0, 40).toWellFormed(), names }), at)
  }
}

/** Returns the value inside of CASEI and ACCENTI. */
function unwrap(value: Value): Value {
  return value.kind === 'casei' || value.kind === 'accenti' ? unwrap(value.value) : value
}

/** The upper case of the dotless i is I, but it is another letter than i. A noncharacter has no upper case and is in no text. */
const DOTLESS_I = '\u{131}'
const NONCHARACTER = '\u{ffff}'
/** The lower case of Σ depends on its place in a word; its folded case is always σ. */
const FINAL_SIGMA = '\u{3c2}'
const SIGMA = '\u{3c3}'

/**
 * Returns the text after full case folding (Unicode, statuses C and F), which is in lower case: the lower case of the upper case of the lower
 * case. PostgreSQL has `casefold` from version 18 on. The root collation of ICU does not depend on the locale of a server.
 */
const foldCase = (value: Sql): Sql => {
  const withoutDotless = sql`translate(lower(${value} COLLATE "und-x-icu"), ${DOTLESS_I}::text, ${NONCHARACTER}::text)`
  return sql`(translate(lower(upper(${withoutDotless})), ${NONCHARACTER + FINAL_SIGMA}::text, ${DOTLESS_I + SIGMA}::text) COLLATE "C")`
}

/** Returns the same for a column. Texts in ASCII avoid ICU, which takes ten times as long. */
const foldCaseOfColumn = (column: Sql): Sql => {
  const isAscii = sql`octet_length(${column}) = char_length(${column})`
  return sql`(CASE WHEN ${isAscii} THEN lower(${column} COLLATE "C") ELSE ${foldCase(column)} END)`
}
