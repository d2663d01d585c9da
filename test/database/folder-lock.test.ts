import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

import { readConfig } from '../../src/config.ts'
import { connect } from '../../src/database/connect.ts'
import { sql } from '../../src/database/database.ts'
import { FolderInUse, lockFolder } from '../../src/database/embedded-folder.ts'
import { engine } from '../helpers/database.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { startNode } from '../helpers/processes.ts'
import { createEmbeddedTemplate, openTemplateCopy } from '../helpers/template.ts'
import { queryRows } from '../helpers/query-rows.ts'

const open = (folder: string) => connect(readConfig({ DATA_DIR: folder }), { activity: 'a test', say: () => {} })

describe('lockFolder', () => {
  it.runIf(engine === 'embedded')(
    'names the first process to a second one, which finds every committed row after the first is killed',
    async () => {
      const folder = createTemporaryFolder()
      await (await openTemplateCopy(await createEmbeddedTemplate(), join(folder, 'database'))).close()
      const first = startNode('test/database/processes/write-and-wait.ts', ['Ada', 'Grace'], { DATA_DIR: folder })
      await first.waitForOutput(/written/)

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
    },
  )

  it('locks a folder again after its release', () => {
    const folder = createTemporaryFolder()

    lockFolder(folder, 'the first').release()
    const second = lockFolder(folder, 'the second')

    expect(() => lockFolder(folder, 'the third')).toThrow(`in use by the second (process ${process.pid}, since `)
    second.release()
  })

  it('reports the activity that the owner described last', () => {
    const folder = createTemporaryFolder()
    const lock = lockFolder(folder, 'starting')

    lock.describe('serving http://127.0.0.1:3000')

    expect(() => lockFolder(folder, 'another')).toThrow('in use by serving http://127.0.0.1:3000')
    lock.release()
  })
})
