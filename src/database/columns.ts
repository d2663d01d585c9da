import Type, { type Static, type TObject, type TSchema } from 'typebox'

import type { Translations } from '../locales/translations.ts'

export const Id = Type.Integer({ minimum: 1 })
export const Count = Type.Integer({ minimum: 0 })

/** ISO 8601 in UTC with milliseconds. */
export const Timestamp = Type.String({ pattern: '^\\d{4,}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' })

export const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])

export const stringEnum = <const Values extends readonly string[]>(values: Values) =>
  Type.Unsafe<Values[number]>({ type: 'string', enum: values })

/** The column `translations` of texts of an operator. */
export const translations = <Fields>() => nullable(Type.Unsafe<Translations<Fields>>({ type: 'object' }))

export const IdRow = Type.Object({ id: Id })

/** The right columns of a LEFT JOIN are all null if there is no match. */
export function leftJoin<Left extends TObject, Right extends TObject>(left: Left, right: Right) {
  const noMatch = Object.fromEntries(Object.keys(right.properties).map((column) => [column, Type.Null()]))
  const sides = [right.properties, noMatch].map((columns) => Type.Object({ ...left.properties, ...columns }))
  return Type.Unsafe<Static<Left> & (Static<Right> | Record<keyof Static<Right>, null>)>(Type.Union(sides))
}
