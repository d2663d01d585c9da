import { parseArgs } from 'node:util'

import type { Config } from '../config.ts'
import type { Database } from '../database/database.ts'
import { verifyPages, type VerifiedPages } from '../database/verify/verify-pages.ts'
import { findMissingImages } from '../media/missing-images.ts'
import { openFileStore } from '../storage/open-file-store.ts'
import { FAILOVER_KEY } from '../storage/reports.ts'
import { rollUpCellChanges } from '../geo/pyramid/roll-up.ts'
import { startGenerationAfterRestore } from '../geo/pyramid/roll-up.ts'
import { type PyramidReport, verifyPyramid, type WrongCell } from '../geo/pyramid/verify.ts'
import { progressLines } from '../process/progress-lines.ts'
import { isJson, printResult, runCommand } from '../process/run-command.ts'
import { withDatabase } from './with-database.ts'

const LINES_MAX = 10
const LIKELY_CAUSE =
  'Data loaded with triggers off or a failover explains this. Otherwise issues may be lost: compare with a backup (docs/backup.md).'

const say = (line: string): void => void process.stderr.write(`${line}\n`)
const print = (lines: readonly string[]): void => void (isJson || process.stdout.write(`${lines.join('\n')}\n`))

/** The exit code is 1 after damage, a missing image or a wrong pyramid, even if it is repaired now, and 2 if indexes could not be checked. */
async function verify(database: Database, config: Config): Promise<void> {
  const pages = await reportPages(database)
  const isUndamaged = pages.damaged.length === 0
  const pyramid = isUndamaged ? await reportPyramid(database) : undefined
  const pictures = isUndamaged ? await reportImages(database, config) : undefined
  if (isUndamaged) {
    await startGenerationAfterRestore(database)
    await (await openFileStore(config)).remove(FAILOVER_KEY)
  }
  const isCorrect = pyramid?.wrong.length === 0 && pyramid.covers === 0 && pyramid.parts === 0 && pictures?.missing.length === 0
  if (!isCorrect) process.exitCode = 1
  else if (pages.onlyRows !== undefined) process.exitCode = 2
  if (isJson) printResult('', { pages, pyramid, pictures, exitCode: process.exitCode ?? 0 })
}

async function reportPages(database: Database): Promise<VerifiedPages> {
  say('Reading every page of all tables and indexes …')
  const [began, show] = [performance.now(), progressLines()]
  const verified = await verifyPages(database, (read, all) => show(`${Math.floor((100 * read) / all)} % of ${all} pages`))
  const { damaged, relations } = verified
  print([`${describeRead(verified)} in ${secondsSince(began)} s.`])
  if (damaged.length === 0) print(['Nothing is damaged.'])
  else {
    print([
      `${damaged.length} of ${relations} tables and indexes are damaged:`,
      ...limitLines(LINES_MAX, damaged, ({ name, kind, found }) => `  ${kind} ${name}: ${found}`),
      damaged.every(({ kind }) => kind === 'index')
        ? 'No table is damaged: REINDEX rebuilds these indexes. If it fails, or more damage appears, restore a backup (docs/backup.md).'
        : 'Stop the service, keep a copy of the data as it is now, and restore a backup (docs/backup.md).',
      'The pyramid of cells and the pictures were not checked, because they depend on the damaged data.',
    ])
  }
  return verified
}

function describeRead({ relations, pages, onlyRows, hasChecksums }: VerifiedPages): string {
  if (onlyRows !== undefined) {
    return `Read the rows of ${relations} tables, but no indexes, which requires a superuser and the extensions amcheck and pageinspect (${onlyRows}), so lost pages may go unnoticed,`
  }
  const blind = hasChecksums ? '' : ' without checksums (initdb --data-checksums), so a changed bit inside a value goes unnoticed,'
  return `Read ${pages} pages of ${relations} tables and indexes${blind}`
}

async function reportPyramid(database: Database): Promise<PyramidReport> {
  say('Comparing all cells with the issues …')
  const began = performance.now()
  const rolledUp = await rollUpCellChanges(database)
  const report = await verifyPyramid(database)
  const { cells, wrong, covers, parts } = report
  print([
    `Rolled up ${rolledUp} changes; compared ${cells} cells of 17 levels in ${secondsSince(began)} s.`,
    wrong.length === 0 ? 'The counts of all cells are correct.' : `${wrong.length} cells had wrong counts and are repaired:`,
    ...limitLines(LINES_MAX, wrong, describeCell),
    ...(wrong.length === 0 ? [] : [LIKELY_CAUSE]),
    covers === 0
      ? 'The cells of all places and watch areas are correct.'
      : `${covers} places or watch areas had wrong cells and are repaired.`,
    parts === 0
      ? 'The parts of all places, organisations and watch areas are correct.'
      : `${parts} places, organisations or watch areas had wrong parts and are repaired.`,
  ])
  return report
}

async function reportImages(database: Database, config: Config) {
  say('Checking that all pictures exist …')
  const images = await findMissingImages(database, await openFileStore(config))
  const { referenced, missing } = images
  print(
    missing.length === 0
      ? [`All ${referenced} picture files exist.`]
      : [
          `${missing.length} of ${referenced} picture files are missing:`,
          ...limitLines(LINES_MAX, missing, (key) => `  ${key}`),
          `Copy the pictures of the backup to ${config.s3Url === undefined ? 'DATA_DIR/files' : 'the bucket of S3_URL'} (docs/backup.md).`,
        ],
  )
  return images
}

function describeCell({ cell, level, open, acknowledged, closed, archived }: WrongCell): string {
  const by = Object.entries({ open, acknowledged, closed, archived }).filter(([, off]) => off !== 0)
  return `  cell ${cell} of level ${level}: ${by.map(([status, off]) => `${Math.abs(off)} ${status} too ${off > 0 ? 'many' : 'few'}`).join(', ')}`
}

function limitLines<Item>(max: number, items: readonly Item[], line: (item: Item) => string): string[] {
  const more = items.length > max ? [`  … and ${items.length - max} more`] : []
  return [...items.slice(0, max).map(line), ...more]
}

const secondsSince = (began: number) => ((performance.now() - began) / 1000).toFixed(1)

await runCommand(new URL('./help/verify.txt', import.meta.url), async () => {
  parseArgs({ options: { json: { type: 'boolean' } } })
  await withDatabase({ activity: 'npm run verify', say, forVerification: true }, verify)
})
