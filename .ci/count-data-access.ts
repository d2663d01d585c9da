import { globSync, readFileSync } from 'node:fs'
import { argv, stderr, stdout } from 'node:process'

/*
 * Counts the call sites of data access by kind: `node .ci/count-data-access.ts` prints the table. With `--check` it prints only what is wrong: an unchecked
 * call site, or a share of Prisma's client below PRISMA_PERCENT_MIN.
 */

/** The share of 30 November, with a percent to spare. */
const PRISMA_PERCENT_MIN = 45

/** These files implement `Database` or the pool of the queue: they begin and end transactions, set limits and pass statements on. */
const engines =
  /^src\/(?:database\/(?:embedded|postgres|replicas|replica-position|snapshot|with-prisma)|queue\/(?:backends|embedded-pool)|http\/request\/request-limit)\.ts$/

/** A call site has the first kind that fits. */
const kinds = [
  ['prisma', /\bprisma\s*\.\s*[a-z]\w*/g, "Prisma's client, typed by the schema"],
  [
    'rows',
    /(?:\.(?:query|batches)|\b(?:db|database)\.read)\(\s*(?:(?:prepared\(\s*)?sql\.(?:type|first|one)\(|statement\))/g,
    'SQL with a schema of its rows, which tests compare',
  ],
  ['execute', /\.execute\(\s*(?:sql\b|raw\(|\w+\()/g, 'SQL without rows, whose parameters tests compare'],
  ['script', /\.executeScript\(|\bsession\.copy\(/g, 'a constant script without values, or COPY'],
  ['unchecked', /\$(?:query|execute)Raw|\.(?:query|batches|execute)\(|\b(?:db|database)\.read\(/g, 'SQL that no test compares'],
] as const

type Kind = (typeof kinds)[number][0]

export interface CallSite {
  readonly kind: Kind
  readonly line: number
}

export function findCallSites(text: string): CallSite[] {
  const code = text.replace(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, (comment) => comment.replace(/[^\n]/g, ' '))
  const found = new Map<number, Kind>()
  for (const [kind, pattern] of kinds) for (const { index } of code.matchAll(pattern)) if (!found.has(index)) found.set(index, kind)
  return [...found].map(([index, kind]) => ({ kind, line: code.slice(0, index).split('\n').length }))
}

if (import.meta.main) {
  const files = globSync('{src,jobs,prisma}/**/*.ts', { exclude: ['prisma/generated/**'] }).filter((file) => !engines.test(file))
  const sites = files.flatMap((file) => findCallSites(readFileSync(file, 'utf8')).map((site) => ({ ...site, file })))
  const count = (...wanted: Kind[]) => sites.filter(({ kind }) => wanted.includes(kind)).length
  const percent = Math.floor((100 * count('prisma')) / count('prisma', 'rows', 'execute', 'unchecked'))
  const wrong = sites.filter(({ kind }) => kind === 'unchecked').map(({ file, line }) => `${file}:${line}: no schema of rows`)
  if (percent < PRISMA_PERCENT_MIN)
    wrong.push(`Prisma's client has ${percent} % of the call sites, less than ${PRISMA_PERCENT_MIN} %`)
  if (argv[2] !== '--check') {
    for (const [kind, , meaning] of kinds) stdout.write(`${String(count(kind)).padStart(5)} ${kind.padEnd(9)} ${meaning}\n`)
    stdout.write(`${percent} % of the statements are Prisma's client's. Scripts are not counted.\n`)
  }
  for (const line of wrong) stderr.write(`${line}\n`)
  process.exitCode = wrong.length === 0 ? 0 : 1
}
