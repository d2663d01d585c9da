import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'

import { removeStaleFolders, withTemporaryFolder } from '../../src/storage/temporary-folders.ts'
import { useOwnTemporaryFolder } from '../http/uploads/own-temporary-folder.ts'

const temporary = useOwnTemporaryFolder()

it('a temporary folder is removed with its files after the work, also if that fails', async () => {
  const fill = async (folder: string) => {
    await writeFile(join(folder, 'file'), 'x')
    return readdir(temporary.path)
  }

  const during = await withTemporaryFolder(fill)
  await expect(withTemporaryFolder(async (folder) => Promise.reject(new Error((await fill(folder)).join())))).rejects.toThrow(
    'fixpoint-work-',
  )

  expect([during.length, await readdir(temporary.path)]).toEqual([1, []])
})

it('the folders of killed processes are removed, but no young ones and no others', async () => {
  for (const name of ['fixpoint-work-old', 'fixpoint-work-young', 'other']) await mkdir(join(temporary.path, name))
  for (const name of ['fixpoint-work-old', 'other']) await utimes(join(temporary.path, name), new Date(0), new Date(0))

  await removeStaleFolders(new Date(Date.now() - 3_600_000))

  expect((await readdir(temporary.path)).sort()).toEqual(['fixpoint-work-young', 'other'])
})
