import { readFileSync } from 'node:fs'
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

/** The columns and statuses of the text are those of the code. */
export const help = readFileSync(new URL('../cli/help/import.txt', import.meta.url), 'utf8')
  .trimEnd()
  .replace('{places}', placeColumns.join(', '))
  .replace('{required}', requiredIssueColumns.join(', '))
  .replace('{optional}', wrap(issueColumns.filter((name) => !requiredIssueColumns.some((required) => required === name))))
  .replace('{statuses}', statuses.join(', '))

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
