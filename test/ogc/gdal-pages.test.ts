import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { useApp } from '../helpers/use-app.ts'
import { freePort } from '../kill/servers.ts'

const run = promisify(execFile)
const isHere = spawnSync('ogr2ogr', ['--version']).status === 0
const port = await freePort()
const DEFAULT_RATE_LIMIT = '20'
const ISSUES = 6_100
const TIMEOUT_MS = 400_000

describe.skipIf(!isHere)(`GDAL${isHere ? '' : ' (skipped: ogr2ogr is not installed)'}`, () => {
  const app = useApp({
    ownApp: true,
    keepRows: true,
    env: { PUBLIC_URL: `http://127.0.0.1:${port}`, RATE_LIMIT: DEFAULT_RATE_LIMIT },
  })
  beforeAll(async () => {
    await app.fastify.listen({ port, host: '127.0.0.1' })
    await app.db.execute(
      sql`INSERT INTO issues (summary, lng, lat) SELECT 'Hole ' || n, n / 100.0, n / 100.0 FROM generate_series(1, ${ISSUES}::integer) n`,
    )
  })

  it(
    'reads thousands of issues in pages of ten with the default limits',
    async () => {
      const { stdout } = await run('ogr2ogr', [
        '-f',
        'CSV',
        '/vsistdout/',
        `OAPIF:http://127.0.0.1:${port}/ogc`,
        'issues',
        '-select',
        'id',
      ])

      expect(new Set(stdout.trim().split('\n').slice(1)).size).toBe(ISSUES)
    },
    TIMEOUT_MS,
  )
})
