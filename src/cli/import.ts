import { readConfig } from '../config.ts'
import { connect } from '../database/connect.ts'
import { UserFacingError } from '../errors/user-facing-error.ts'
import { runCommand } from '../process/run-command.ts'
import { help, parseArguments, type ImportCommand, type RowsImport } from '../imports/arguments.ts'
import { importIssues } from '../imports/import-issues.ts'
import { importOrganizations } from '../imports/organizations/import-organizations.ts'
import { importPlaces } from '../imports/import-places.ts'
import { readOrganizationFile } from '../imports/organizations/organization-file.ts'
import { organizationsSummary } from '../imports/organizations/organizations-report.ts'
import { displayProgress } from '../imports/progress.ts'
import { openSource } from '../imports/reading/source-file.ts'
import { exitCode, formatSummary } from '../imports/summary.ts'

const say = (line: string) => void process.stderr.write(`${line}\n`)

/** Stops the import after the current batch; a second Ctrl+C ends the process at once. */
function stopSignal(): AbortSignal {
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
  return request.what === 'organizations' ? runOrganizations(request.path) : runRows(request)
}

/** A file of organisations is imported in one transaction, so Ctrl+C needs no handling. */
async function runOrganizations(path: string): Promise<number> {
  const file = await readOrganizationFile(path)
  const config = readConfig(process.env, { requirePublicUrl: false })
  const { database } = await connect(config, { activity: `import of organizations from ${path}`, say })
  try {
    say(`Importing organizations from ${path} …`)
    const startedAt = performance.now()
    const report = await importOrganizations(database, file, path)
    process.stdout.write(`${organizationsSummary(report, performance.now() - startedAt)}\n`)
    return 0
  } finally {
    await database.close()
  }
}

async function runRows({ what, ...options }: RowsImport): Promise<number> {
  // An unreadable file is reported before a database is created for it.
  await openSource(options.path)
  const signal = stopSignal()
  const config = readConfig(process.env, { requirePublicUrl: false })
  const { database } = await connect(config, { activity: `import of ${what} from ${options.path}`, say })
  const progress = displayProgress(process.stderr)
  try {
    say(`Importing ${what} from ${options.path} …`)
    const startedAt = performance.now()
    const importAll = what === 'issues' ? importIssues : importPlaces
    const report = await importAll(database, { ...options, signal, onProgress: progress.show }).finally(progress.end)
    process.stdout.write(`${formatSummary(what, report, performance.now() - startedAt)}\n`)
    return exitCode(report)
  } catch (error) {
    if (!(error instanceof UserFacingError)) say('The rows imported so far are stored; the same command continues from there.')
    throw error
  } finally {
    await database.close()
  }
}

await runCommand(async () => {
  const request = parseArguments(process.argv.slice(2))
  if (request === undefined) process.stdout.write(`${help}\n`)
  else process.exitCode = await run(request)
})
