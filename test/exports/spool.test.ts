import { statSync } from 'node:fs'
import { appendFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { type FeatureTable, spoolFeatures } from '../../src/gis/downloads/spool.ts'
import type { OpenWriter } from '../../src/gis/downloads/writer.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { queryRows } from '../helpers/query-rows.ts'
import { useApp } from '../helpers/use-app.ts'
import { inventPoints, pointLayer } from './writers/invented-layers.ts'

const app = useApp({ keepRows: true })
const table: FeatureTable = {
  area: { kind: 'everywhere' },
  layer: pointLayer,
  async *read() {
    yield inventPoints(3)
  },
}
const { signal } = new AbortController()

/** Returns a writer whose file gets its bytes in `end`, as that of a FlatGeobuf does. */
const lateWriter =
  (end: () => Promise<string>): OpenWriter =>
  async (path) => ({
    write: () => Promise.resolve(),
    end: async () => appendFile(path, await end()),
  })

describe('spoolFeatures', () => {
  it('ends the transaction before the file is completed', async () => {
    const openWriter = lateWriter(async () => {
      const [row] = await queryRows<{ one: string }>(app.db, sql`SELECT 'read in another transaction' AS one`)
      return row?.one ?? ''
    })

    const file = await spoolFeatures(app.db, { table, openWriter }, { folder: createTemporaryFolder(), signal })

    expect(file).toMatchObject({ rows: 3, bytes: 'read in another transaction'.length })
    expect(statSync(file.path).size).toBe(file.bytes)
  })

  it('refuses a file that becomes too large when it is completed', async () => {
    const openWriter = lateWriter(() => Promise.resolve('x'.repeat(101)))
    const options = { folder: createTemporaryFolder(), signal, bytesMax: 100 }

    await expect(spoolFeatures(app.db, { table, openWriter }, options)).rejects.toMatchObject({ status: 422 })
  })

  it('stops after the file is completed if the client has gone meanwhile', async () => {
    const client = new AbortController()
    const openWriter = lateWriter(() => {
      client.abort()
      return Promise.resolve('')
    })

    await expect(
      spoolFeatures(app.db, { table, openWriter }, { folder: createTemporaryFolder(), signal: client.signal }),
    ).rejects.toThrow('aborted')
  })
})
