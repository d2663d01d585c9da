import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'

import { FAR_AWAY, GREEN } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { freePort } from '../kill/servers.ts'

const run = promisify(execFile)
const isHere = spawnSync('ogrinfo', ['--version']).status === 0
/** Links have the port, so it is known before the app listens. */
const port = await freePort()
const SOURCE = `OAPIF:http://127.0.0.1:${port}/ogc`

describe.skipIf(!isHere)(`GDAL${isHere ? '' : ' (skipped: ogrinfo is not installed)'}`, () => {
  const app = useApp({ ownApp: true, keepRows: true, env: { PUBLIC_URL: `http://127.0.0.1:${port}` } })
  const urls: string[] = []
  beforeAll(async () => {
    app.fastify.server.on('request', ({ url }) => void urls.push(decodeURIComponent(String(url))))
    await app.fastify.listen({ port, host: '127.0.0.1' })
    await app.create.place({ url_name: 'new-haven', around: GREEN })
    for (let n = 0; n < 25; n++) await app.create.issue({ at: GREEN, summary: `Hole ${n}`, base_rating: n })
    await app.create.issue({ at: FAR_AWAY, summary: "Ada's lamp" })
  })
  const readFeatures = async (...options: string[]) => {
    urls.length = 0
    const { stdout, stderr } = await run('ogr2ogr', ['-f', 'GeoJSON', '/vsistdout/', SOURCE, 'issues', ...options])
    expect(stderr).not.toContain('ERROR')
    return (JSON.parse(stdout) as { features: { properties: { summary: string } }[] }).features
  }

  it('lists the collections and types of all columns by the address of the service', async () => {
    const { stdout, stderr } = await run('ogrinfo', ['-so', SOURCE, 'issues'])

    expect(stderr).toBe('')
    expect(stdout).toContain('Feature Count: 26')
    expect(stdout).toMatch(/^Geometry: Point$/m)
    expect(stdout).toMatch(/^closed_at: DateTime/m)
    expect(stdout).toMatch(/^request_type_id: Integer/m)
    expect(stdout).toMatch(/^address: String/m)
    expect(stdout).toMatch(/^id: Integer/m)
  })

  it('reads all pages', async () => {
    const features = await readFeatures('-oo', 'PAGE_SIZE=10')

    expect(features).toHaveLength(26)
    expect(urls.filter((url) => url.includes('cursor='))).toHaveLength(2)
  })

  it('sends a box and a filter', async () => {
    const inBox = await readFeatures('-spat', '0', '-90', '180', '90')
    const boxUrls = urls.filter((url) => url.includes('bbox=0,-90,180,90'))
    const equal = await readFeatures('-where', "summary = 'Ada''s lamp' AND rating_count < 9")
    const filterUrls = urls.filter((url) => url.includes("filter=(summary = 'Ada''s lamp') AND (rating_count < 9)"))

    expect(boxUrls.length).toBeGreaterThan(0)
    expect(filterUrls.length).toBeGreaterThan(0)
    expect(inBox.map(({ properties }) => properties.summary)).toEqual(["Ada's lamp"])
    expect(equal.map(({ properties }) => properties.summary)).toEqual(["Ada's lamp"])
  })

  it('sends days without their time', async () => {
    const late = await readFeatures('-where', "created_at >= '2027/06/01'")
    const early = await readFeatures('-where', "created_at < '2027/06/01'")

    expect(urls.some((url) => url.includes("created_at < '2027-06-01T'"))).toBe(true)
    expect([late.length, early.length]).toEqual([0, 26])
  })
})
