import { hash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

/** The migrations of the first version; no process ran on a database before them. */
const FIRST_VERSION = '20261130'

/** A statement that a process of the version before may not survive, with the reason. */
const BREAKING: readonly (readonly [RegExp, string])[] = [
  [/\bDROP (TABLE|VIEW|MATERIALIZED VIEW|TYPE|COLUMN|SCHEMA)\b/i, 'removes what may be in use'],
  [/\bRENAME\b/i, 'removes a name that may be in use'],
  [/\bALTER (COLUMN )?\w+ SET NOT NULL\b/i, 'refuses rows that are written without a value'],
  [/\bALTER (COLUMN )?\w+ (SET DATA )?TYPE\b/i, 'changes what is read'],
  [
    /\bADD COLUMN (IF NOT EXISTS )?\w+ (?:(?!,|;|DEFAULT|GENERATED)[^])*NOT NULL(?:(?!,|;)(?!DEFAULT|GENERATED)[^])*(?=,|;)/i,
    'refuses rows that are written without a value',
  ],
]

const withoutComments = (script: string) => script.replaceAll(/--.*$/gm, '').replaceAll(/\$\$[^]*?\$\$/g, "''")
const breakingIn = (script: string) =>
  withoutComments(script)
    .split(/(?<=;)/)
    .flatMap((statement) => BREAKING.flatMap(([pattern, why]) => (pattern.test(statement) ? why : [])))

describe('the rules of a release (docs/upgrade.md)', () => {
  it('let processes of the version before run while the migrations of the next one are applied', () => {
    const later = globSync('prisma/migrations/*/migration.sql').filter((file) => file.split('/')[2]! >= FIRST_VERSION)
    const broken = later.flatMap((file) => breakingIn(readFileSync(file, 'utf8')).map((why) => `${file} ${why}`))

    expect(later.length).toBeGreaterThan(15)
    expect(broken).toEqual([])
  })

  it('freeze every migration, and list a new one with its checksum', () => {
    const folder = 'prisma/migrations'
    const files = globSync('*/migration.sql', { cwd: folder }).toSorted()

    const sums = files.map((file) => `${hash('sha256', readFileSync(`${folder}/${file}`))}  ${file}`)

    expect(readFileSync(`${folder}/checksums.sha256`, 'utf8').trim().split('\n')).toEqual(sums)
  })

  it.each([
    'DROP TABLE votes;',
    'ALTER TABLE votes DROP COLUMN created_at;',
    'ALTER TABLE votes RENAME COLUMN user_id TO voter_id;',
    'ALTER TABLE votes ALTER COLUMN note SET NOT NULL;',
    'ALTER TABLE votes ALTER COLUMN user_id TYPE bigint;',
    'ALTER TABLE votes ADD COLUMN note text NOT NULL;',
    "ALTER TABLE votes ADD COLUMN weight int, ADD COLUMN note text NOT NULL CHECK (note <> '');",
  ])('refuse %s', (statement) => {
    expect(breakingIn(statement)).toHaveLength(1)
  })

  it.each([
    'ALTER TABLE votes ADD COLUMN note text;',
    "ALTER TABLE votes ADD COLUMN note text NOT NULL DEFAULT '';",
    'CREATE TABLE notes (id integer NOT NULL);',
    'ALTER TABLE votes ALTER COLUMN note DROP NOT NULL;',
    'DROP INDEX votes_user_id_idx;',
  ])('allow %s', (statement) => {
    expect(breakingIn(statement)).toEqual([])
  })
})
