import { UserFacingError } from '../../errors/user-facing-error.ts'

/** One row of a file: its values by column as they stand there, and what makes it unreadable, if anything. */
export interface SourceRow {
  /** The line on which the row begins; in a GeoJSON FeatureCollection, which has no lines, the number of the feature. From 1. */
  readonly line: number
  readonly values: Readonly<Record<string, unknown>>
  /** The whole GeoJSON feature; its properties are the values. */
  readonly feature?: Readonly<Record<string, unknown>>
  /** Length of the feature as JSON, in characters. */
  readonly size?: number
  /** The content of an unreadable row: text, or bytes that are not valid text. */
  readonly raw?: string | Buffer
  readonly fault?: string
}

export type RejectedRow = SourceRow & { readonly fault: string }

/** A file being read. Rows come in portions, since a step of an async iterator costs more than the reading of a row. */
export interface Reading {
  /** The columns that a CSV file names; features have none. */
  readonly columns?: readonly string[]
  readonly portions: AsyncIterable<SourceRow[]>
}

/** A file or a call that cannot be imported at all. */
export class ImportFailed extends UserFacingError {
  override name = 'ImportFailed'
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
