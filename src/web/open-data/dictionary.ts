import type { TObject } from 'typebox'

import { toColumns } from '../../gis/columns.ts'
import { HistoryProperties } from '../../issues/records/history-schema.ts'
import { IssueProperties } from '../../issues/records/schema.ts'
import { PlaceProperties } from '../../places/records/schema.ts'
import type { Dataset } from './selection.ts'

export interface Field {
  readonly name: string
  readonly type: 'integer' | 'number' | 'text' | 'timestamp'
  readonly isNullable: boolean
  /** In English, from the schema. */
  readonly meaning: string
  /** The unit of a number, such as `m²`. */
  readonly unit: string | undefined
  /** The only values of the field. */
  readonly values: readonly string[] | undefined
  readonly example: string
  /** GPX has few elements. All other formats have all fields. */
  readonly isInGpx: boolean
}

interface PropertySchema {
  readonly examples?: readonly (string | number | null)[]
  readonly enum?: readonly (string | null)[]
}

const properties: Readonly<Record<Dataset, TObject>> = {
  issues: IssueProperties,
  history: HistoryProperties,
  places: PlaceProperties,
}

const inGpx: Readonly<Record<Dataset, readonly string[]>> = {
  issues: ['created_at', 'summary', 'description', 'html_url', 'status'],
  history: ['at', 'to_status'],
  places: [],
}

/** Returns the columns that each format of a table has, generated from the schema of its rows. */
export function listFields(dataset: Dataset): readonly Field[] {
  const schemas = properties[dataset].properties as unknown as Readonly<Record<string, PropertySchema>>
  return toColumns(properties[dataset]).map(({ name, type, isNullable, description = '' }) => {
    const { examples = [], enum: values } = schemas[name] ?? {}
    return {
      ...{ name, type, isNullable, meaning: description, unit: unitOf(name, type) },
      values: values?.filter((value) => value !== null),
      example: String(examples.find((one) => one !== null) ?? values?.[0] ?? ''),
      isInGpx: inGpx[dataset].includes(name),
    }
  })
}

function unitOf(name: string, type: Field['type']): string | undefined {
  if (type === 'timestamp') return 'UTC'
  if (name.endsWith('_m2')) return 'm²'
  return /_(?:lng|lat)$/.test(name) ? '° (WGS 84)' : undefined
}
