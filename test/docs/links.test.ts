import { existsSync, globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

import { root, textOf } from './commands.ts'

const documents = globSync(['*.md', 'docs/**/*.md', 'test/*.md'], { cwd: root })

test.each(documents)('%s links to files that exist', (document) => {
  const links = [...textOf(document).matchAll(/\]\((?!https?:)([^)#\s]+)/g)].map(([, link = '']) => join(dirname(document), link))

  expect(links.filter((link) => !existsSync(join(root, link)))).toEqual([])
})

test.each(documents)('%s names files of the code that exist', (document) => {
  const paths = [...textOf(document).matchAll(/`((?:jobs|prisma|src|test)\/[\w./-]+)`/g)].map(([, path = '']) => path)

  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([])
})
