import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'

import { listModules, readBrowserFiles } from '../../src/html/assets.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { useApp } from '../helpers/use-app.ts'

/** All scripts of a page with a map together, compressed. */
const BYTES_MAX = 520_000
const maplibre = ['maplibre-gl.mjs', 'maplibre-gl-worker.mjs']
const mapPage = [
  'issue-map/map-page.ts',
  'service-worker.ts',
  'without-scripts.ts',
  'config.ts',
  'create-map.ts',
  'cross.ts',
  'drawing.ts',
  'follow-moves.ts',
  'issue-map/follow-points.ts',
  'failures/follow-failures.ts',
  'view.ts',
  'issue-layers.ts',
  'issue-style/icons.ts',
  'issue-style/layers.ts',
  'issue-list.ts',
  'list-address.ts',
  'area-layers.ts',
  'page-layers.ts',
  'issue-map/pin-card.ts',
  'report-links.ts',
  ...maplibre,
]
const reportPage = [
  'report-page.ts',
  'service-worker.ts',
  'without-scripts.ts',
  'config.ts',
  'create-map.ts',
  'cross.ts',
  'device-draft.ts',
  'device-store.ts',
  'drawing.ts',
  'failures/follow-failures.ts',
  'file-field.ts',
  'issue-layers.ts',
  'issue-style/icons.ts',
  'issue-style/layers.ts',
  'photo-picker.ts',
  'check-files.ts',
  'photo-place.ts',
  'photo-store.ts',
  'point-map.ts',
  ...maplibre,
]

const drawPage = [
  'watch-areas/draw-page.ts',
  'config.ts',
  'create-map.ts',
  'failures/follow-failures.ts',
  'issue-layers.ts',
  'issue-style/icons.ts',
  'issue-style/layers.ts',
  'page-layers.ts',
  'cross.ts',
  'view.ts',
  ...['area-fields', 'circle-tool', 'draw-layers', 'live-forecast', 'polygon', 'polygon-tool', 'view-tool'].map(
    (name) => `watch-areas/${name}.ts`,
  ),
  ...maplibre,
]

/** All scripts of a form together, compressed. */
const FORM_BYTES_MAX = 25_000
const photoPicker = ['photo-picker.ts', 'check-files.ts', 'photo-place.ts', 'photo-store.ts', 'device-store.ts', 'file-field.ts']
const typeStep = ['type-step.ts', ...photoPicker]
const reportForm = ['report-form.ts', 'service-worker.ts', 'device-draft.ts', ...photoPicker]

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

  it.each([
    ['the map', mapPage, 'showMap', BYTES_MAX],
    ['the map to draw an area', drawPage, 'showMap', BYTES_MAX],
    ['the start of a report', reportPage, 'showPhotoPicker', BYTES_MAX],
    ['the type of a report', typeStep, 'showPhotoPicker', FORM_BYTES_MAX],
    ['the form of a report', reportForm, 'keepDraft', FORM_BYTES_MAX],
    ['the list of staff', ['worklist-page.ts'], 'shortcuts', FORM_BYTES_MAX],
  ])('need few bytes with gzip: %s', async (_page, names, part, max) => {
    const path = await folder()
    const files = await Promise.all(names.map((name) => get(`${path}${name}`, { 'accept-encoding': 'gzip' })))

    expect(files.map(({ headers }) => headers['content-encoding'])).toEqual(names.map(() => 'gzip'))
    expect(files.reduce((bytes, { rawPayload }) => bytes + rawPayload.length, 0)).toBeLessThanOrEqual(max)
    expect(gunzipSync(files[0]?.rawPayload ?? '').toString()).toContain(part)
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
