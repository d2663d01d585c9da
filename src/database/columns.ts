import Type, { type TSchema } from 'typebox'

/** Columns of rows, as `query` returns them (row-values.ts). Schemas of rows are written with these and with plain `Type`. */

export const Id = Type.Integer({ minimum: 1 })
export const Count = Type.Integer({ minimum: 0 })

/** ISO 8601 in UTC with milliseconds. */
export const Timestamp = Type.String({ pattern: '^\\d{4,}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' })

export const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])

/** A text that is one of these: a state, a role, a kind. */
export const oneOf = <const Values extends readonly string[]>(values: Values) =>
  Type.Unsafe<Values[number]>({ type: 'string', enum: values })
