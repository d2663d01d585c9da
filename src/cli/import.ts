import { UserFacingError } from '../environment/user-facing-error.ts'
import { printResult, runCommand } from '../process/run-command.ts'
import { help, parseArguments, type ImportCommand, type RowsImport } from '../imports/arguments.ts'
import { importIssues, type IssuesReport } from '../imports/import-issues.ts'
import { importOrganizations } from '../imports/organizations/import-organizations.ts'
import { importPlaces, type PlacesReport } from '../imports/import-places.ts'
import { readOrganizationFile } from '../imports/organizations/organization-file.ts'
import { formatOrganizationsSummary } from '../imports/organizations/organizations-report.ts'
import { displayProgress, formatCount, formatRate } from '../imports/report.ts'
import { openSource } from '../imports/reading/source-file.ts'
import { withDatabase } from './with-database.ts'

const say = (line: string) => void process.stderr.write(`${line}\n`)

/** A second Ctrl+C ends the process at once. */
function createStopSignal(): AbortSignal {
  const stopping = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => {
      say('\nStopping after this batch …')
      stopping.abort()
    })
  }
  return stopping.signal
}

function run(request: ImportCommand): Promise<number> {
  return request.kind === 'organizations' ? runOrganizations(request.path) : runRows(request)
}

/** A file of organisations is imported in one transaction, so Ctrl+C needs no handling. */
async function runOrganizations(path: string): Promise<number> {
  const file = await readOrganizationFile(path)
  return withDatabase({ activity: `import of organisations from ${path}`, say }, async (database) => {
    say(`Importing organisations from ${path} …`)
    const startedAt = performance.now()
    const report = await importOrganizations(database, file, path)
    printResult(formatOrganizationsSummary(report, performance.now() - startedAt), report)
    return 0
  })
}

async function runRows({ kind, ...options }: RowsImport): Promise<number> {
  // An unreadable file is reported before a database is created for it.
  await openSource(options.path)
  const signal = createStopSignal()
  return withDatabase({ activity: `import of ${kind} from ${options.path}`, say }, async (database) => {
    try {
      say(`Importing ${kind} from ${options.path} …`)
      const startedAt = performance.now()
      const importAll = kind === 'issues' ? importIssues : importPlaces
      const report = await importAll(database, { ...options, signal, onProgress: displayProgress(process.stderr) })
      printResult(formatSummary(kind, report, performance.now() - startedAt), report)
      return exitCode(report)
    } catch (error) {
      if (!(error instanceof UserFacingError)) say('The rows imported so far are stored. Run the same command again to continue.')
      throw error
    }
  })
}

function formatSummary(kind: 'places' | 'issues', report: IssuesReport | PlacesReport, ms: number): string {
  const lines = [
    `${report.stopped ? 'Stopped' : 'Done'}: ${formatCount(report.imported)} ${kind} imported, ${formatCount(report.unchanged)} unchanged, ` +
      `${formatCount(report.rejected)} rejected (${formatCount(report.rows)} rows in ${(ms / 1000).toFixed(1)} s, ${formatRate(report.rows, ms)}).`,
  ]
  if (report.ignoredColumns.length > 0) lines.push(`Unknown columns were ignored: ${report.ignoredColumns.join(', ')}.`)
  if ('newIds' in report && report.newIds.count > 0) lines.push(formatNewIds(report.newIds))
  if ('repaired' in report)
    for (const { name, reason } of report.repaired) lines.push(`Repaired the boundary of ${name}: ${reason}.`)
  if ('renumberedFile' in report && report.renumberedFile !== null)
    lines.push(`The old and new ids of all renumbered issues are in ${report.renumberedFile}.`)
  if (report.rejectedFile !== null)
    lines.push(`The rejected rows are in ${report.rejectedFile}, with their lines and reasons. Correct them and import that file.`)
  if (report.rejectedFeatures !== null)
    lines.push(`The rejected features are in ${report.rejectedFeatures}. You can correct and import that file instead.`)
  if (report.stopped) lines.push('Run the same command again to continue.')
  return lines.join('\n')
}

function formatNewIds({ count: all, first }: IssuesReport['newIds']): string {
  const shown = first.map(({ line, id, newId }) => `${id} (line ${line}) is now ${newId}`).join(', ')
  return `${formatCount(all)} issues got new ids, because their ids are in use: ${shown}${all > first.length ? ', …' : ''}.`
}

/** Returns 1 if the import was stopped, 2 if rows were rejected, otherwise 0. */
function exitCode(report: IssuesReport | PlacesReport): number {
  return report.stopped ? 1 : report.rejected > 0 ? 2 : 0
}

await runCommand(help, async () => {
  process.exitCode = await run(parseArguments(process.argv.slice(2)))
})
