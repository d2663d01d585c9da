import { mkdirSync, writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'

import { listModules, readBrowserFiles } from '../../src/html/assets.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { useApp } from '../helpers/use-app.ts'

/** All scripts of a page with a map together, compressed. */
const BYTES_MAX = 520_000
const maplibre = ['maplibre-gl.mjs', 'maplibre-gl-worker.mjs']
/** All scripts of a form together, compressed. */
const FORM_BYTES_MAX = 25_000

describe('the scripts of the map', () => {
  const app = useApp()
  const get = (path: string, headers = {}) => app.fastify.inject({ method: 'GET', url: path, headers })
  const folder = async () => {
    const { text } = await app.as.anonymous.send('GET', '/')
    return /src="(\/files\/modules\/[\w-]+\/)issue-map\/map-page\.ts"/.exec(text)?.[1] ?? ''
  }

  it('are JavaScript without types, and browsers store them for a year', async () => {
    const { statusCode, headers, body } = await get(`${await folder()}view.ts`)

    expect([statusCode, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'text/javascript; charset=utf-8',
      'public, max-age=31536000, immutable',
    ])
    expect(body).toContain('export function withBox(parameters')
    expect(body).not.toContain('URLSearchParams, bounds: LngLatBounds')
  })

  /** Returns the compressed modules that a page loads, by `import()` too. MapLibre loads its worker. */
  async function load(name: string, loaded = new Map<string, Awaited<ReturnType<typeof get>>>()) {
    if (loaded.has(name)) return loaded
    const module = await get(`${await folder()}${name}`, { 'accept-encoding': 'gzip' })
    loaded.set(name, module)
    if (name.endsWith('.mjs')) return loaded
    const source = gunzipSync(module.rawPayload).toString()
    const imported = [...source.matchAll(/\b(?:from|import)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g)].map(([, path = '']) => path)
    for (const path of imported) await load(posix.join(posix.dirname(name), path), loaded)
    for (const file of source.includes("'./maplibre-gl.mjs'") ? maplibre : []) await load(file, loaded)
    return loaded
  }

  it.each([
    ['issue-map/map-page.ts', 'showMap', BYTES_MAX],
    ['issue-map/embedded-map.ts', 'createMap', BYTES_MAX],
    ['watch-areas/draw-page.ts', 'showMap', BYTES_MAX],
    ['report-page.ts', 'showPhotoPicker', BYTES_MAX],
    ['type-step.ts', 'showPhotoPicker', FORM_BYTES_MAX],
    ['report-form.ts', 'keepDraft', FORM_BYTES_MAX],
    ['issue-page/comment-draft.ts', 'loadValue', FORM_BYTES_MAX],
    ['form-preview.ts', 'data-preview', FORM_BYTES_MAX],
    ['offline-page.ts', 'showPhotoPicker', FORM_BYTES_MAX],
    ['worklist-page.ts', 'shortcuts', FORM_BYTES_MAX],
  ])('need few bytes with gzip: %s', async (page, part, max) => {
    const modules = [...(await load(page)).values()]

    expect(modules.map(({ statusCode, headers }) => [statusCode, headers['content-encoding']])).toEqual(
      modules.map(() => [200, 'gzip']),
    )
    expect(modules.reduce((bytes, { rawPayload }) => bytes + rawPayload.length, 0)).toBeLessThanOrEqual(max)
    expect(gunzipSync(modules[0]?.rawPayload ?? '').toString()).toContain(part)
  })

  it('are 404 for other names and versions', async () => {
    const answers = [
      `${await folder()}issue-map/map-page.js`,
      `${await folder()}issue-map%2F..%2Fview.ts`,
      '/files/modules/older/issue-map/map-page.ts',
    ]

    expect(await Promise.all(answers.map(async (path) => (await get(path)).statusCode))).toEqual([404, 404, 404])
  })
})

describe('the modules of a page', () => {
  it('are those that it imports in any form, with those that they import, but no types', () => {
    const folder = createTemporaryFolder()
    mkdirSync(join(folder, 'parts'))
    const write = (name: string, source: string) => writeFileSync(join(folder, name), source)
    write(
      'page.ts',
      `import type { Config } from './config.ts'\nimport {\n  one,\n  type Two,\n} from "./parts/one.ts"\nimport './start.ts'\n`,
    )
    write('parts/one.ts', `export { three } from '../three.ts'\nexport const one = () => import(\n  './late.ts'\n)\n`)
    write('three.ts', `import { page } from './page.ts'\n// from './nowhere'\nexport const three = page\n`)
    for (const name of ['config.ts', 'start.ts', 'parts/late.ts', 'other.ts']) write(name, 'export type Config = string\n')

    const files = readBrowserFiles(new URL(`file://${folder}/`), [])

    expect(listModules(files, 'page.ts')).toEqual(['page.ts', 'parts/one.ts', 'three.ts', 'parts/late.ts', 'start.ts'])
  })
})
