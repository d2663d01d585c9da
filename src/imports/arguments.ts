import { parseArgs } from 'node:util'

import { statuses } from '../issue-lifecycle/status.ts'
import { requiredIssueColumns, issueColumns } from './issue-rows.ts'
import { placeColumns } from './place-rows.ts'
import { ImportFailed } from './reading/source-row.ts'

/** Places and issues come in rows, each of which is taken or rejected. */
export interface RowsImport {
  readonly what: 'places' | 'issues'
  readonly path: string
  readonly source?: string
}

/** Organisations come in one piece. */
export interface OrganizationsImport {
  readonly what: 'organizations'
  readonly path: string
}

export type ImportCommand = RowsImport | OrganizationsImport

export const help = `Imports places, issues or organizations into the database that DATABASE_URL or DATA_DIR names.

  npm run import -- places FILE [--source NAME]
  npm run import -- issues FILE [--source NAME]
  npm run import -- organizations FILE

Places come as GeoJSON in WGS84, a FeatureCollection, a Feature, or a Feature in each line (.geojson, .json, .ndjson, .jsonl,
.geojsonl, .geojsons): polygons with the properties ${placeColumns.join(', ')}.

Issues come as CSV (.csv), or as the same kinds of GeoJSON with a point for lat and lng. Columns:
  needed    ${requiredIssueColumns.join(', ')}
  optional  ${wrap(issueColumns.filter((name) => !requiredIssueColumns.some((required) => required === name)))}
A status is one of ${statuses.join(', ')}. Unknown columns are named and ignored.

Organizations come as JSON, with their areas, members, request types and questions. What is there already is made what the
file says; while anything in it is wrong, nothing is changed.

  --source NAME  what the file is a copy of; with the id of a row it tells whether that row was imported before.
                 Default: the name of the file without its extension.
  --help         this text

Rows that cannot be taken are written to FILE.rejected.csv with their line and the reason (features whole to
FILE.rejected.geojsonl, too); the others are imported. Put them right there and import that file. Ids that were taken are
listed in FILE.renumbered.csv with the new ones. It is safe to stop an import and to run it again: what is there already
stays as it is. docs/import.md says more.

Exit code: 0 every row was taken, 1 the import failed or was stopped, 2 some rows were rejected.`

function wrap(names: readonly string[]): string {
  const half = Math.ceil(names.length / 2)
  return [names.slice(0, half), names.slice(half)].map((part) => part.join(', ')).join(',\n            ')
}

const SOURCE_MAX = 200

/**
 * Parses the command line. Returns undefined if it asks for help.
 * @throws ImportFailed that names the allowed arguments
 */
export function parseArguments(words: readonly string[]): ImportCommand | undefined {
  const { values, positionals } = parse(words)
  if (values.help) return undefined
  const [what, path, ...others] = positionals
  if (what !== 'places' && what !== 'issues' && what !== 'organizations')
    throw usageError(what === undefined ? 'Say what to import.' : `"${what}" cannot be imported.`)
  if (path === undefined) throw usageError(`Name the file with the ${what}.`)
  if (others.length > 0) throw usageError(`One file at a time: ${others.join(', ')} is too much.`)
  const source = values.source?.trim()
  if (what === 'organizations') {
    if (source !== undefined) throw usageError('Organizations have no --source: they are known again by their names.')
    return { what, path }
  }
  if (source === undefined) return { what, path }
  if (source === '' || [...source].length > SOURCE_MAX || source.includes('\0')) {
    throw usageError(`--source must be a name of 1 to ${SOURCE_MAX} characters.`)
  }
  return { what, path, source }
}

function parse(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      options: { source: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    })
  } catch (error) {
    throw usageError((error as Error).message)
  }
}

const usageError = (fault: string): ImportFailed =>
  new ImportFailed(`${fault}
Allowed: npm run import -- places FILE [--source NAME]
         npm run import -- issues FILE [--source NAME]
         npm run import -- organizations FILE
         npm run import -- --help`)
