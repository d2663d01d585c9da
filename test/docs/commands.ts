import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { inject } from 'vitest'

import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { openTemplateCopy } from '../helpers/template.ts'

export const root = fileURLToPath(new URL('../../', import.meta.url))

export const textOf = (document: string) => readFileSync(join(root, document), 'utf8')

/** Returns a section with its heading, or an empty text if the document has none. */
export function sectionOf(document: string, heading: string): string {
  return (
    textOf(document)
      .split(/^(?=## )/m)
      .find((section) => section.startsWith(`## ${heading}\n`)) ?? ''
  )
}

/** Returns the commands of each `sh` block of a Markdown text, without comments. */
export function blocksIn(text: string): string[][] {
  const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block)
  return blocks.map((block) => block.split('\n').filter((line) => line !== '' && !line.startsWith('#')))
}

export const commandsIn = (text: string): string[] => blocksIn(text).flat()

export async function shell(command: string, env: Record<string, string> = {}, cwd = root): Promise<string> {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
  const { stdout } = await promisify(execFile)('sh', ['-c', command], {
    cwd,
    env: { PATH, HOME, NODE_COMPILE_CACHE, ...env },
    maxBuffer: 1 << 24,
  })
  return stdout
}

/** Creates a data folder with a migrated database, because a migration takes some seconds. */
export async function createMigratedFolder(): Promise<string> {
  const folder = createTemporaryFolder()
  await (await openTemplateCopy(inject('template'), join(folder, 'database'))).close()
  return folder
}
