import { join } from 'node:path'
import { expect, test } from 'vitest'

import { readConfig } from '../../src/config.ts'
import { connect } from '../../src/database/connect.ts'
import { sql } from '../../src/database/database.ts'
import { FolderInUse, lockFolder } from '../../src/database/folder-lock.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { startNode } from '../helpers/processes.ts'
import { embeddedTemplate, openCopy } from '../helpers/template.ts'
import { queryRows } from '../helpers/query-rows.ts'

const open = (folder: string) => connect(readConfig({ DATA_DIR: folder }), { doing: 'a test', say: () => {} })

test('a second process is told who has the folder, and after kill -9 the next one finds every row that was committed', async () => {
  const folder = temporaryFolder()
  await (await openCopy(await embeddedTemplate(), join(folder, 'database'))).close()
  const first = startNode('test/database/processes/write-and-stay.ts', ['Ada', 'Grace'], { DATA_DIR: folder })
  await first.printed(/written/)

  const refusal = await open(folder).catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(FolderInUse)
  expect(refusal).toMatchObject({
    message: expect.stringMatching(`${folder} is in use by writing names \\(process ${first.child.pid},`) as string,
  })

  first.child.kill('SIGKILL')
  await first.ended
  const { database, isNew } = await open(folder)
  expect(isNew).toBe(false)
  expect(await queryRows(database, sql`SELECT u.name FROM users u ORDER BY u.id`)).toEqual([{ name: 'Ada' }, { name: 'Grace' }])
  await database.close()
})

test('a lock that was released can be taken again, by this process too', () => {
  const folder = temporaryFolder()

  lockFolder(folder, 'the first').release()
  const second = lockFolder(folder, 'the second')

  expect(() => lockFolder(folder, 'the third')).toThrow(`in use by the second (process ${process.pid}, since `)
  second.release()
})

test('the holder can say anew what it is doing', () => {
  const folder = temporaryFolder()
  const lock = lockFolder(folder, 'starting')

  lock.describe('serving http://127.0.0.1:3000')

  expect(() => lockFolder(folder, 'another')).toThrow('in use by serving http://127.0.0.1:3000')
  lock.release()
})
