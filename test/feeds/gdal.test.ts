import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

import { FAR_AWAY, GREEN } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'

const run = promisify(execFile)
const isHere = spawnSync('ogrinfo', ['--version']).status === 0

/** GDAL is the library with which QGIS reads feeds. Without it, xml.ts and the OpenAPI document check the feeds. */
describe.skipIf(!isHere)(`GDAL${isHere ? '' : ' (skipped: ogrinfo is not installed)'}`, () => {
  const app = useApp()

  it.each(['atom', 'geojson'])('reads issues.%s as points with their attributes', async (kind) => {
    await app.create.issue({ summary: 'Hole & more', at: GREEN })
    await app.create.issue({ summary: 'Élan', at: FAR_AWAY })
    const { text } = await app.as.anonymous.send('GET', `/feeds/issues.${kind}?sort_direction=ASC`)
    const folder = await mkdtemp(join(tmpdir(), 'fixpoint-gdal-'))
    const file = join(folder, `issues.${kind}`)
    await writeFile(file, text)

    const { stdout } = await run('ogrinfo', ['-al', file])

    await rm(folder, { recursive: true })
    expect(stdout).toContain('Geometry: Point')
    expect(stdout).toContain('Feature Count: 2')
    const points = [...stdout.matchAll(/POINT \((\S+) (\S+)\)/g)].map(([, lng, lat]) => ({ lng: Number(lng), lat: Number(lat) }))
    expect(points).toEqual([GREEN, FAR_AWAY])
    expect(stdout).toMatch(/(title|summary) \(String\) = Hole & more/)
    expect(stdout).toMatch(/(title|summary) \(String\) = Élan/)
  })
})
