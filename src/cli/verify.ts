import { type Config, readConfig } from '../config.ts'
import { connect } from '../database/connect.ts'
import type { Database } from '../database/database.ts'
import { verifyPages, type VerifiedPages } from '../database/verify/verify-pages.ts'
import { findMissingPictures } from '../media/missing-pictures.ts'
import { openFileStore } from '../storage/open-file-store.ts'
import { rollUpCellChanges } from '../geo/pyramid/roll-up.ts'
import { type PyramidReport, verifyPyramid, type WrongCell } from '../geo/pyramid/verify.ts'
import { runCommand } from '../process/run-command.ts'

const SHOWN_MAX = 10
const PROGRESS_EVERY_MS = 3_000
const WHY_WRONG =
  'Data loaded with triggers off or a failover explains this. Otherwise issues may be lost: compare with a backup (docs/backup.md).'

const say = (line: string): void => void process.stderr.write(`${line}\n`)
const print = (lines: readonly string[]): void => void process.stdout.write(`${lines.join('\n')}\n`)

/**
 * `npm run verify`: reads everything that the database holds and looks for all pictures, and says what is damaged or missing; compares the
 * pyramid of cells with the issues and repairs what differs. Ends with exit code 1 where anything was damaged, missing or wrong, repaired or not.
 */
async function verify(): Promise<void> {
  const config = readConfig(process.env, { requirePublicUrl: false })
  const { database } = await connect(config, { activity: 'npm run verify', say, forVerification: true })
  try {
    const isUndamaged = await reportPages(database)
    const wasRight = isUndamaged && (await reportPyramid(database))
    const isComplete = isUndamaged && (await reportPictures(database, config))
    if (!wasRight || !isComplete) process.exitCode = 1
  } finally {
    await database.close()
  }
}

/** Whether nothing is damaged. */
async function reportPages(database: Database): Promise<boolean> {
  say('Reading every page of all tables and indexes …')
  const [began, showProgress] = [performance.now(), progressLines()]
  const verified = await verifyPages(database, showProgress)
  const { damaged, relations } = verified
  print([`${whatWasRead(verified)} in ${secondsSince(began)} s.`])
  if (damaged.length === 0) print(['Nothing is damaged.'])
  else {
    print([
      `${damaged.length} of ${relations} tables and indexes are damaged:`,
      ...upTo(SHOWN_MAX, damaged, ({ name, kind, found }) => `  ${kind} ${name}: ${found}`),
      damaged.every(({ kind }) => kind === 'index')
        ? 'No table is damaged: REINDEX makes these indexes anew. If it fails, or there are more soon, restore a backup (docs/backup.md).'
        : 'Stop the service, keep a copy of the data as it is now, and restore a backup (docs/backup.md).',
      'The pyramid of cells and the pictures were not looked at: they are compared with what is damaged.',
    ])
  }
  return damaged.length === 0
}

function whatWasRead({ relations, pages, onlyRows, hasChecksums }: VerifiedPages): string {
  if (onlyRows !== undefined) {
    return `Read the rows of ${relations} tables, but no index page by page, for which a superuser and the extensions amcheck and pageinspect are needed (${onlyRows}), so that lost pages may go unnoticed,`
  }
  const blind = hasChecksums
    ? ''
    : ' without checksums (initdb --data-checksums), so that a changed bit inside a value goes unnoticed,'
  return `Read ${pages} pages of ${relations} tables and indexes${blind}`
}

/** Whether nothing had to be repaired. */
async function reportPyramid(database: Database): Promise<boolean> {
  say('Comparing all cells with their issues …')
  const began = performance.now()
  const rolledUp = await rollUpCellChanges(database)
  const { cells, wrong, covers, pieces }: PyramidReport = await verifyPyramid(database)
  print([
    `Added up ${rolledUp} changes; compared ${cells} cells of 17 levels in ${secondsSince(began)} s.`,
    wrong.length === 0 ? 'Every cell holds what its issues say.' : `${wrong.length} cells were wrong and are repaired:`,
    ...upTo(SHOWN_MAX, wrong, lineOf),
    ...(wrong.length === 0 ? [] : [WHY_WRONG]),
    covers === 0
      ? 'Every place and watch area is covered as its border says.'
      : `${covers} places or watch areas were covered anew.`,
    pieces === 0
      ? 'Every place, organisation and watch area is divided as its area says.'
      : `${pieces} places, organisations or watch areas were divided anew.`,
  ])
  return wrong.length === 0 && covers === 0 && pieces === 0
}

/** Whether none is missing. */
async function reportPictures(database: Database, config: Config): Promise<boolean> {
  say('Looking for all pictures …')
  const { referenced, missing } = await findMissingPictures(database, openFileStore(config))
  print(
    missing.length === 0
      ? [`All ${referenced} files of pictures are there.`]
      : [
          `${missing.length} of ${referenced} files of pictures are missing:`,
          ...upTo(SHOWN_MAX, missing, (key) => `  ${key}`),
          `Copy the pictures of the backup to ${config.s3Url === undefined ? 'DATA_DIR/files' : 'the bucket of S3_URL'} (docs/backup.md).`,
        ],
  )
  return missing.length === 0
}

function lineOf({ cell, level, open, acknowledged, closed, archived }: WrongCell): string {
  const by = Object.entries({ open, acknowledged, closed, archived }).filter(([, off]) => off !== 0)
  return `  cell ${cell} of level ${level}: ${by.map(([status, off]) => `${Math.abs(off)} ${status} too ${off > 0 ? 'many' : 'few'}`).join(', ')}`
}

function upTo<Item>(max: number, items: readonly Item[], line: (item: Item) => string): string[] {
  const more = items.length > max ? [`  … and ${items.length - max} more`] : []
  return [...items.slice(0, max).map(line), ...more]
}

function progressLines(): (read: number, all: number) => void {
  let shownAt = performance.now()
  return (read, all) => {
    if (performance.now() - shownAt < PROGRESS_EVERY_MS) return
    shownAt = performance.now()
    say(`${Math.floor((100 * read) / all)} % of ${all} pages`)
  }
}

const secondsSince = (began: number) => ((performance.now() - began) / 1000).toFixed(1)

await runCommand(verify)
