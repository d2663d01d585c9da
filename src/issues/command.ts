import { readConfig } from '../config.ts'
import { connect } from '../database/connect.ts'
import { foldCellChanges } from '../geo/pyramid/fold.ts'
import { type Verified, verifyPyramid, type WrongCell } from '../geo/pyramid/verify.ts'
import { runOrExplain } from '../run.ts'

/** `npm run verify:pyramid`: compares the pyramid of cells with the issues, mends what differs, and says what it did. */
async function verify(): Promise<void> {
  const say = (line: string) => void process.stderr.write(`${line}\n`)
  const config = readConfig(process.env, { makesUrls: false })
  const { database } = await connect(config, { doing: 'npm run verify:pyramid', say })
  try {
    say('Comparing all cells with their issues; the service may go on meanwhile …')
    const began = performance.now()
    const folded = await foldCellChanges(database)
    const verified = await verifyPyramid(database)
    process.stdout.write(reportOf(verified, folded, (performance.now() - began) / 1000))
  } finally {
    await database.close()
  }
}

const SHOWN_MAX = 10

function reportOf({ cells, wrong, covers }: Verified, folded: number, seconds: number): string {
  const shown = wrong.slice(0, SHOWN_MAX).map(lineOf)
  const more = wrong.length > SHOWN_MAX ? [`  … and ${wrong.length - SHOWN_MAX} more`] : []
  return [
    `Added up ${folded} changes; compared ${cells} cells of 17 levels in ${seconds.toFixed(1)} s.`,
    wrong.length === 0 ? 'Every cell holds what its issues say.' : `${wrong.length} cells were wrong and are mended:`,
    ...shown,
    ...more,
    covers === 0
      ? 'Every place and watch area is covered as its border says.'
      : `${covers} places or watch areas were covered anew.`,
    '',
  ].join('\n')
}

function lineOf({ cell, level, open, acknowledged, closed, archived }: WrongCell): string {
  const by = Object.entries({ open, acknowledged, closed, archived }).filter(([, off]) => off !== 0)
  return `  cell ${cell} of level ${level}: ${by.map(([status, off]) => `${Math.abs(off)} ${status} too ${off > 0 ? 'many' : 'few'}`).join(', ')}`
}

await runOrExplain(verify)
