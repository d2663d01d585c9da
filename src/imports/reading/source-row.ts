import { UserFacingError } from '../../environment/user-facing-error.ts'

export interface SourceRow {
  /** The first line, or the number of the feature in a FeatureCollection, from 1. */
  readonly line: number
  readonly values: Readonly<Record<string, unknown>>
  /** `values` are the properties of this feature. */
  readonly feature?: Readonly<Record<string, unknown>>
  /** The limit is in characters of JSON. */
  readonly size?: number
  /** Content of an unreadable row; bytes are not UTF-8. */
  readonly raw?: string | Buffer
  readonly error?: string
}

export type RejectedRow = SourceRow & { readonly error: string }

export interface Reading {
  /** It is undefined for features. */
  readonly columns?: readonly string[]
  /** A step of an async iterator costs more than reading a row. */
  readonly chunks: AsyncIterable<SourceRow[]>
}

export class ImportFailed extends UserFacingError {
  override name = 'ImportFailed'
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
