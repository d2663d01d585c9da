import { existsSync, globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'

import { root, textOf } from './commands.ts'

const documents = globSync(['*.md', 'docs/**/*.md', 'test/*.md'], { cwd: root })

describe('a document', () => {
  it.each(documents)('links to files that exist: %s', (document) => {
    const links = [...textOf(document).matchAll(/\]\((?!https?:)([^)#\s]+)/g)].map(([, link = '']) => join(dirname(document), link))

    expect(links.filter((link) => !existsSync(join(root, link)))).toEqual([])
  })

  it.each(documents)('names files of the code that exist: %s', (document) => {
    const paths = [...textOf(document).matchAll(/`((?:jobs|prisma|src|test)\/[\w./-]+)`/g)].map(([, path = '']) => path)

    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([])
  })
})
