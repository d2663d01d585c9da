import { parseArgs } from 'node:util'

import { statuses } from '../issue-lifecycle/status.ts'
import { requiredIssueColumns, issueColumns } from './issue-rows.ts'
import { placeColumns } from './import-places.ts'
import { UsageError } from '../process/run-command.ts'

/** Each row is imported or rejected by itself. */
export interface RowsImport {
  readonly kind: 'places' | 'issues'
  readonly path: string
  readonly source?: string
}

/** The file is imported as a whole or not at all. */
interface OrganizationsImport {
  readonly kind: 'organizations'
  readonly path: string
}

export type ImportCommand = RowsImport | OrganizationsImport

export const help = `Imports places, issues or organizations into the database of DATABASE_URL, otherwise into the embedded one in DATA_DIR.

  npm run import -- places FILE [--source NAME]
  npm run import -- issues FILE [--source NAME]
  npm run import -- organizations FILE

Places are polygons in GeoJSON (WGS84): a FeatureCollection, a Feature, or one Feature per line (.geojson, .json, .ndjson,
.jsonl, .geojsonl, .geojsons). Their properties are ${placeColumns.join(', ')}.

Issues are CSV (.csv), or the same kinds of GeoJSON with points instead of lat and lng. Columns:
  required  ${requiredIssueColumns.join(', ')}
  optional  ${wrap(issueColumns.filter((name) => !requiredIssueColumns.some((required) => required === name)))}
A status is one of ${statuses.join(', ')}. Unknown columns are listed and ignored.

Organizations are JSON, with areas, members, request types and questions. Existing organizations are updated to match the
file. If the file has any error, nothing is changed.

  --source NAME  the origin of the file; with the id of a row, it detects rows that were imported before.
                 Default: the name of the file without its extension.
  --json         prints the result as a JSON object
  --help         prints this text

Valid rows are imported. Rejected rows are written to FILE.rejected.csv with their line and the reason, and rejected features
also to FILE.rejected.geojsonl: correct them there and import that file. An issue whose id is in use gets a new id;
FILE.renumbered.csv lists both. You can stop an import and run it again: rows that were imported before do not change.
For more, see docs/import.md.

Exit code: 0 if every row was imported, 1 if the import failed or was stopped, 2 if rows were rejected.`

function wrap(names: readonly string[]): string {
  const half = Math.ceil(names.length / 2)
  return [names.slice(0, half), names.slice(half)].map((part) => part.join(', ')).join(',\n            ')
}

const SOURCE_MAX = 200

/** @throws UsageError */
export function parseArguments(args: readonly string[]): ImportCommand {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { source: { type: 'string' }, json: { type: 'boolean' } },
    allowPositionals: true,
  })
  const [kind, path, ...others] = positionals
  if (kind !== 'places' && kind !== 'issues' && kind !== 'organizations')
    throw new UsageError('The first argument must be places, issues or organizations.')
  if (path === undefined) throw new UsageError(`The second argument must be the file with the ${kind}.`)
  if (others.length > 0) throw new UsageError(`Only one file can be imported at a time. Unexpected: ${others.join(', ')}`)
  const source = values.source?.trim()
  if (kind === 'organizations') {
    if (source !== undefined) throw new UsageError('--source is not allowed for organizations: their names identify them.')
    return { kind, path }
  }
  if (source === undefined) return { kind, path }
  if (source === '' || [...source].length > SOURCE_MAX || source.includes('\0')) {
    throw new UsageError(`--source must have 1 to ${SOURCE_MAX} characters.`)
  }
  return { kind, path, source }
}
