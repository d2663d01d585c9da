import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const code = globSync('{src,jobs,prisma,test}/**/*.{ts,sql,prisma}', { exclude: ['prisma/generated/**'] })
/** The changelog and the records of decisions tell of their own time. */
const documents = globSync(['*.md', 'docs/*.md', 'test/**/*.md'], { exclude: ['CHANGELOG.md'] })
const files = new Set([...code, ...globSync(['*.{md,ts}', 'docs/**/*.{md,ts}', 'test/**/*.md'])])

/** What a reader looks for: a path from the root, one from the document itself, or the end of a path, such as the bare name of a file. */
function isThere(name: string, document: string): boolean {
  return files.has(name) || files.has(join(dirname(document), name)) || [...files].some((file) => file.endsWith(`/${name}`))
}

/** The lines of a source that are comments; of a document all lines. */
const proseOf = (file: string, text: string) =>
  file.endsWith('.md')
    ? text
    : text
        .split('\n')
        .flatMap((line) => /(?:^\s*\*|\/\*\*?|\/\/|--)\s(.*)/.exec(line)?.[1] ?? [])
        .join('\n')

function missingIn(file: string): string[] {
  const names = proseOf(file, readFileSync(file, 'utf8')).match(/(?<![\w/.{*-])[\w.-][\w/.-]*\.(?:ts|sql|md)(?![\w/*-])/g) ?? []
  return names.filter((name) => !isThere(name, file)).map((name) => `${file}: ${name}`)
}

test('every file that a document or a comment names is there', () => {
  expect([...code, ...documents].flatMap(missingIn)).toEqual([])
})
