import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'

/**
 * Private words that left the code, with the standard term to use. A word matches whole or as a part of a camelCase name, a capitalized word
 * only at the beginning of a name.
 */
export const retiredWords = JSON.parse(readFileSync(new URL('retired-words.json', import.meta.url), 'utf8')) as Record<
  string,
  string
>

const SUBJECT_MAX = 72
const COMMITS = 50

/** A comment that begins so has no subject, or one that hides who acts. */
const fragment =
  /^(?:Of|Where|What|Who|Whose|Whom|Which|How|Whatever|Whichever|Whether|Those|Else|Ours|Among|Neither|Nor|Not|Nothing|None|Until|From|For|By|As|To|Once|Or|And|Than|Such|Called|Far|Includes|Unlogged|In (?:the order|bytes|characters)|Null (?:where|when)|Undefined (?:for|if|unless|when|where)|Text, because|Ids only|So (?:many|much|long|few|often))\b/

/** A participle without a subject before such a word does not say what is shown, passed or empty. */
const participle =
  /^(?:Added|Chosen|Defined|Drawn|Empty|Filled|Given|Hidden|Kept|Measured|Needed|Opened|Owned|Passed|Returned|Sent|Set|Shown|Sorted|Stored|Taken|Undefined|Used|Written) (?:after|as|at|because|before|by|for|from|if|in|on|once|only|to|unless|until|when|where|while|with|without)\b/

export function findRetiredWords(text: string, words: Readonly<Record<string, string>> = retiredWords): string[] {
  return Object.entries(words).flatMap(([word, standard]) => {
    const capitalized = word.charAt(0).toUpperCase() + word.slice(1)
    const insideName = word === capitalized ? '' : `|(?<![A-Z])${capitalized}(?![a-z])`
    const pattern = new RegExp(`(?<![A-Za-z])${word}(?![a-z])${insideName}`, 'g')
    return linesOf(text, pattern).map((line) => `${line}: "${word}" is retired: write "${standard}"`)
  })
}

/** Finds retired words in the names of files and folders. Kebab case is read as camelCase. */
export const findRetiredPaths = (paths: readonly string[], words?: Readonly<Record<string, string>>): string[] =>
  paths.flatMap((path) => {
    const name = path.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
    return findRetiredWords(name, words).map((found) => `${path}:${found}`)
  })

/** Finds comments of TypeScript, CSS, SQL, Prisma, shell, Dockerfile and YAML. A further line of a comment is no beginning. */
export function findFragments(text: string): string[] {
  const beginnings =
    /(?<=^[ \t]*\/\*\*?\s(?:\s*\* )?|(?<!^[ \t]*(?:\/\/|--|#).*\n)^[ \t]*(?:\/\/\/?|--|#) )[A-Z]\w*(?:,? \w+){0,2}/gm
  return [...text.matchAll(beginnings)]
    .filter(([words]) => fragment.test(words) || participle.test(words))
    .map(({ 0: words, index }) => `${lineAt(text, index)}: a comment begins with "${words}": begin with a subject`)
}

/** Finds comments that oxlint would obey. Exceptions from its rules are made in `.oxlintrc.json`. */
export const findDisabledRules = (text: string): string[] =>
  linesOf(text, /\b(?:eslint|oxlint)-(?:disable|enable)/g).map((line) => `${line}: a comment disables rules`)

/** Conventional Commits 1.0. */
const subjectForm = /^(?:build|chore|ci|docs|feat|fix|perf|refactor|revert|style|test)(?:\([a-z0-9-]+\))?!?: \S/

export const findBadSubjects = (subjects: readonly string[]): string[] =>
  subjects.flatMap((subject) => {
    if (!subjectForm.test(subject)) return [`not a Conventional Commit: ${subject}`]
    return subject.length > SUBJECT_MAX ? [`more than ${SUBJECT_MAX} characters: ${subject}`] : []
  })

const lineAt = (text: string, index: number) => text.slice(0, index).split('\n').length

const linesOf = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(({ index }) => lineAt(text, index))

/** Finds rooms (files and folders of `src`, and the folders `jobs` and `prisma`) that docs/ARCHITECTURE.md does not show and describe. */
export function findMissingRooms(document: string, rooms: readonly string[]): string[] {
  const diagram = /```mermaid\n([^]*?)```/.exec(document)?.[1] ?? ''
  const table = /^\| Room \|.*\n((?:\|.*\n?)*)/m.exec(document)?.[1] ?? ''
  const inDiagram = new Set(diagram.match(/(?<=^ {4}|; )[\w.-]+/gm))
  const inTable = new Set(table.match(/(?<=^\|[^|]*`)[\w.-]+(?=`[^|]*\|)/gm))
  return rooms.flatMap((room) => [
    ...(inDiagram.has(room) ? [] : [`docs/ARCHITECTURE.md: the diagram does not show ${room}`]),
    ...(inTable.has(room) ? [] : [`docs/ARCHITECTURE.md: the table of rooms does not describe ${room}`]),
  ])
}

function checkFiles(): string[] {
  const code = globSync(['{src,jobs,prisma,test}/**/*.{ts,js,css,sql,prisma}', '*.{ts,js,yml}', '.ci/*', 'Dockerfile'], {
    exclude: ['prisma/generated/**', '.ci/retired-words.json'],
  })
  // STYLE.md quotes bad examples, and the changelog names what was replaced.
  const documents = globSync(['*.md', 'docs/**/*.md', 'test/**/*.md'], { exclude: ['STYLE.md', 'CHANGELOG.md'] })
  const paths = globSync('{src,jobs,prisma,test,docs,.ci}/**/*', { exclude: ['prisma/generated/**'] })
  const check = (file: string, find: (text: string) => string[]) =>
    find(readFileSync(file, 'utf8')).map((found) => `${file}:${found}`)
  return [
    ...[...code, ...documents].flatMap((file) => check(file, findRetiredWords)),
    ...findRetiredPaths(paths),
    ...code.flatMap((file) => [...check(file, findFragments), ...check(file, findDisabledRules)]),
  ]
}

/** A copy of the project without its history has no commits to check. */
function checkCommits(): string[] {
  if (!existsSync('.git')) return []
  const log = execFileSync('git', ['log', '--no-merges', `--max-count=${COMMITS}`, '--format=%s'], { encoding: 'utf8' })
  return findBadSubjects(log.trimEnd().split('\n'))
}

if (import.meta.main) {
  const rooms = [...readdirSync('src'), 'jobs', 'prisma']
  const found = [...checkFiles(), ...findMissingRooms(readFileSync('docs/ARCHITECTURE.md', 'utf8'), rooms), ...checkCommits()]
  for (const line of found) process.stderr.write(`${line}\n`)
  process.exitCode = found.length === 0 ? 0 : 1
}
