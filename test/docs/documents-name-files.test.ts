import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'

const code = globSync('{src,jobs,prisma,test}/**/*.{ts,sql,prisma}', { exclude: ['prisma/generated/**'] })
/** The changelog, decision records and migrations, which are frozen, describe the past. */
const present = code.filter((file) => !file.startsWith('prisma/migrations/'))
const documents = globSync(['*.md', 'docs/*.md', 'test/**/*.md'], { exclude: ['CHANGELOG.md'] })
const files = new Set([...code, ...globSync(['.ci/*', '*.{md,ts}', 'docs/**/*.{md,ts}', 'test/**/*.md'])])

/** Accepts a path from the root, a path from the document, or the end of a path, such as the name of a file. */
function fileExists(name: string, document: string): boolean {
  return files.has(name) || files.has(join(dirname(document), name)) || [...files].some((file) => file.endsWith(`/${name}`))
}

/** Returns the comments of a source file, or all lines of a document. */
const proseOf = (file: string, text: string) =>
  file.endsWith('.md')
    ? text
    : text
        .split('\n')
        .flatMap((line) => /(?:^\s*\*|\/\*\*?|\/\/|--)\s(.*)/.exec(line)?.[1] ?? [])
        .join('\n')

function missingIn(file: string): string[] {
  const names = proseOf(file, readFileSync(file, 'utf8')).match(/(?<![\w/.{*-])[\w.-][\w/.-]*\.(?:ts|sql|md)(?![\w/*-])/g) ?? []
  return names.filter((name) => !fileExists(name, file)).map((name) => `${file}: ${name}`)
}

describe('documents and comments', () => {
  it('name files that exist', () => {
    expect([...present, ...documents].flatMap(missingIn)).toEqual([])
  })
})
