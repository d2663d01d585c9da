import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { GREEN } from '../helpers/factories.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { useApp } from '../helpers/use-app.ts'
import { waitForTransactions } from '../issues/changes/committed.ts'
import { blocksIn, commandsIn, sectionOf, shell } from './commands.ts'

const hasGdal = spawnSync('ogr2ogr', ['--version']).status === 0
const section = sectionOf('docs/gis.md', 'Changes')

describe('commands of docs/gis.md and docs/clients.md for changes', () => {
  const app = useApp({ ownApp: true, keepRows: true, env: { STREAM_SECONDS_MAX: '3600' } })

  it('bring a copy up to date with what changed', async () => {
    const { create, db, fastify } = app
    const address = await fastify.listen({ host: '127.0.0.1', port: 0 })
    const here = (text: string) => text.replaceAll('http://127.0.0.1:3000', address)
    const folder = createTemporaryFolder()
    const lines = (name: string) =>
      readFileSync(join(folder, name), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as { readonly id: number; readonly properties: Readonly<Record<string, unknown>> })
    await create.place({ url_name: 'denver', around: GREEN })
    const reporter = await create.user()
    const [kept, deleted] = [await create.issue({ at: GREEN, reporter }), await create.issue({ at: GREEN, reporter })]
    await waitForTransactions(db)
    const [download = [], weekly = []] = blocksIn(section)

    const possible = (commands: readonly string[]) =>
      here(commands.filter((command) => hasGdal || !/\bogr/.test(command)).join('\n'))
    await shell(possible(download), {}, folder)
    const cursor = readFileSync(join(folder, 'cursor.txt'), 'utf8').trim()
    await db.execute(sql`DELETE FROM issues WHERE id = ${deleted}`)
    const created = await create.issue({ at: GREEN, reporter })
    await waitForTransactions(db)
    await shell(possible(weekly), {}, folder)

    expect(lines('denver.geojsonl').map(({ id }) => id)).toEqual([kept, deleted])
    expect(lines('changes.geojsonl').map(({ id, properties }) => [id, properties['change']])).toEqual([
      [deleted, 'gone'],
      [created, 'created'],
    ])
    if (hasGdal) {
      const layer = await shell('ogrinfo -q denver.gpkg issues', {}, folder)
      expect([...layer.matchAll(/OGRFeature\(issues\):(\d+)/g)].map(([, id]) => Number(id))).toEqual([kept, created])
    }

    const next = readFileSync(join(folder, 'cursor.txt'), 'utf8')
    expect(next.trim()).not.toBe(cursor)
    // A week without changes has an empty file. A week without a cursor or a server leaves the cursor as it is.
    await shell(possible(weekly), {}, folder)
    expect(readFileSync(join(folder, 'changes.geojsonl'), 'utf8')).toBe('')
    writeFileSync(join(folder, 'cursor.txt'), 'unreadable\n')
    await expect(shell(possible(weekly), {}, folder)).rejects.toThrow()
    expect(readFileSync(join(folder, 'cursor.txt'), 'utf8')).toBe('unreadable\n')

    const [, pull = ''] = /```python\n([\s\S]*?)```/.exec(section) ?? []
    writeFileSync(
      join(folder, 'pull.py'),
      // Between the two pages it waits, so that it has no more requests a minute than the rate limit allows.
      `${here(pull).replace('per_page=1000', 'per_page=1')}\npauses = []\ntime.sleep = pauses.append\nissues = {${kept}: 1, ${deleted}: 1}\nweekly_pull(issues, '${cursor}')\nprint(sorted(issues), sum(pauses))\n`,
    )
    expect(await shell('python3 pull.py', {}, folder)).toBe(`[${kept}, ${created}] 3\n`)

    const [findCursor = '', stream = ''] = commandsIn(sectionOf('docs/clients.md', 'Follow changes'))
    expect(await shell(`${here(findCursor)}\necho "$cursor"`, {}, folder)).toMatch(/^[\w-]{60,}\n$/)
    expect(await shell(here(stream), { cursor }, folder)).toMatch(new RegExp(`^event: change\ndata: {"id":${created},`, 'm'))
  })
})
