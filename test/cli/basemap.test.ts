import { createHash } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { parseArguments } from '../../src/basemap/arguments.ts'
import { openPmtiles } from '../../src/basemap/pmtiles-file.ts'
import { readStreetIndex } from '../../src/basemap/extract-archive.ts'
import { readConfig } from '../../src/config.ts'
import { commandsIn, sectionOf } from '../docs/commands.ts'
import { runNode } from '../helpers/processes.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { drawRoads, writePmtiles } from '../web/basemap/write-pmtiles.ts'

const folder = mkdtempSync(join(tmpdir(), 'basemap-'))
afterAll(() => rmSync(folder, { recursive: true }))
const metadata = { vector_layers: ['earth', 'roads', 'water'].map((id) => ({ id })), attribution: '© The City' }
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n)

/** Tiles of many lengths need leaf directories. */
const contentOf = (x: number, y: number) =>
  createHash('shake256', { outputLength: 1 + (Math.imul(x * 131 + y, 2_654_435_761) >>> 22) })
    .update(`${x} ${y}`)
    .digest()
const world = join(folder, 'world.pmtiles')
writePmtiles(
  world,
  [
    { z: 0, x: 0, y: 0, content: Buffer.from('world') },
    ...range(0, 127).flatMap((x) => range(0, 127).map((y) => ({ z: 7, x, y, content: contentOf(x, y) }))),
  ],
  metadata,
)
const city = join(folder, 'city.pmtiles')
writePmtiles(city, [{ z: 12, x: 852, y: 1554, content: Buffer.from('a tile') }], metadata)

const run = (dataDir: string, ...args: string[]) => runNode('src/cli/basemap.ts', args, { DATA_DIR: dataDir })
const chosenBy = (dataDir: string) => {
  const { basemapPmtiles, basemapStyleUrl } = readConfig({ DATA_DIR: dataDir })
  return { basemapPmtiles, basemapStyleUrl }
}

describe('npm run basemap', () => {
  it('keeps a copy of a PMTiles file, which the next start uses, and says so without arguments', async () => {
    const dataDir = createTemporaryFolder()

    const before = await run(dataDir)
    const kept = await run(dataDir, city)
    const after = await run(dataDir)

    const path = join(dataDir, 'basemap', 'basemap.pmtiles')
    expect(before.stdout).toContain(
      'Base map: none. The demo draws streets of its own; other maps have none, so residents cannot find their spot. Set a base map: npm run basemap -- city.pmtiles',
    )
    expect([kept.code, kept.stderr]).toEqual([0, ''])
    expect(kept.stdout).toContain(`Base map: ${path}, 0.0 MB, zoom 12 to 12, west -106, south 39, east -104, north 40.\nRestart`)
    expect(after.stdout).toContain(`Base map: ${path}`)
    expect(readFileSync(path)).toEqual(readFileSync(city))
    expect(chosenBy(dataDir)).toEqual({ basemapPmtiles: path, basemapStyleUrl: undefined })
  })

  it('collects the named roads of the highest zoom once, without railways and unnamed roads', async () => {
    const dataDir = createTemporaryFolder()
    const path = join(folder, 'streets.pmtiles')
    const road = (tags: object, ...line: readonly (readonly [number, number])[]) => ({ tags, line })
    const ends = [
      [0, 0],
      [4_096, 0],
    ] as const
    const roads = [
      road({ name: 'Larimer Street', kind: 'minor_road' }, [0, 2_048], [2_048, 2_048], [4_096, 2_048]),
      road({ name: 'Larimer Street', kind: 'minor_road' }, [2_100, 2_100], [2_200, 2_100]),
      road({ name: 'A Line', kind: 'rail' }, ...ends),
      road({ kind: 'minor_road' }, ...ends),
    ]
    writePmtiles(
      path,
      [
        { z: 11, x: 426, y: 777, content: drawRoads([road({ name: 'Overview Road' }, ...ends)]) },
        { z: 12, x: 853, y: 1554, content: drawRoads(roads) },
      ],
      metadata,
    )

    const kept = await run(dataDir, path)
    const streets = await readStreetIndex(join(dataDir, 'basemap', 'basemap.pmtiles'))
    await run(dataDir, 'none')
    const none = await readStreetIndex(join(dataDir, 'basemap', 'basemap.pmtiles'))

    expect(kept.stdout).toContain('The search of addresses has 1 street.')
    expect(streets).toEqual([{ name: 'Larimer Street', point: { lng: -104.98535, lat: 39.74099 } }])
    expect(none).toEqual([])
  })

  it('returns to the own base map, and gives priority to variables', async () => {
    const dataDir = createTemporaryFolder()
    await run(dataDir, city)

    const other = readConfig({ DATA_DIR: dataDir, BASEMAP_STYLE_URL: 'https://tiles.example/style.json' })
    const none = await run(dataDir, 'none')

    expect([other.basemapPmtiles, other.basemapStyleUrl]).toEqual([undefined, 'https://tiles.example/style.json'])
    expect(none.stdout).toContain('Base map: none')
    expect(chosenBy(dataDir)).toEqual({ basemapPmtiles: undefined, basemapStyleUrl: undefined })
  })

  it('refuses a file that is cut off and keeps the one before', async () => {
    const dataDir = createTemporaryFolder()
    const cut = join(folder, 'cut.pmtiles')
    writeFileSync(cut, readFileSync(world))
    truncateSync(cut, 100_000)
    await run(dataDir, city)

    const refused = await run(dataDir, cut)

    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/cut\.pmtiles must be a complete file: it has 100000 of \d+ bytes\.\n/),
    ])
    expect(readFileSync(join(dataDir, 'basemap', 'basemap.pmtiles'))).toEqual(readFileSync(city))
  })

  it.each([
    [[city, 'other.pmtiles'], 'There must be one base map. Unexpected: other.pmtiles'],
    [['https://tiles.example/world.pmtiles'], 'An address needs --bounds'],
    [
      ['https://tiles.example/world.pmtiles', '--bounds', '-105,39.6,-104.6'],
      '--bounds must be four numbers in degrees, west,south,east,north',
    ],
    [['https://tiles.example/world.pmtiles', '--bounds', '-104,39.6,-105,40'], 'west less than east'],
    [['openfreemap', '--bounds', '-105,39,-104,40'], '--bounds is allowed only with the address of a PMTiles file.'],
    [['--zoom', '3'], "Unknown option '--zoom'"],
  ])('refuses %j and names what is allowed', (args, message) => {
    expect(() => parseArguments(args)).toThrow(message)
  })

  it('prints its usage, and a message for a missing file', async () => {
    const asked = await run(folder, '--help')
    const mistaken = await run(folder, 'missing.pmtiles')

    expect([asked.code, asked.stdout]).toEqual([0, expect.stringContaining('npm run basemap -- openfreemap')])
    expect([mistaken.code, mistaken.stderr]).toEqual([1, 'missing.pmtiles must be a file that the service can read.\n'])
  })
})

describe('docs/configuration.md', () => {
  it('shows commands that are understood', () => {
    const commands = commandsIn(sectionOf('docs/configuration.md', 'Base map'))

    const kinds = commands.map(
      (command) =>
        parseArguments(
          command
            .replace(/^npm run basemap( --)? ?/, '')
            .split(' ')
            .filter(Boolean),
        ).kind,
    )

    expect(kinds).toEqual(['file', 'extract', 'style', 'status', 'none'])
  })
})

describe('npm run basemap with an address', () => {
  let server: Server
  let requests = 0
  let failures = 0
  beforeAll(async () => {
    const bytes = readFileSync(world)
    server = createServer(({ url, headers }, response) => {
      requests++
      if (url !== '/world.pmtiles') return response.writeHead(404).end()
      if (failures-- > 0) return response.writeHead(503).end()
      const [, from = '0', to = ''] = /bytes=(\d+)-(\d+)/.exec(headers.range ?? '') ?? []
      const part = bytes.subarray(Number(from), Number(to) + 1)
      return response.writeHead(206, { 'content-length': part.length, etag: '"1"' }).end(part)
    })
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  })
  afterAll(() => void server.close())
  const extract = (dataDir: string, bounds: string, file = 'world.pmtiles') =>
    run(dataDir, `http://127.0.0.1:${(server.address() as AddressInfo).port}/${file}`, '--bounds', bounds)

  it('copies the tiles of the bounds by a few range requests, and tries again after an error', async () => {
    const dataDir = createTemporaryFolder()
    requests = 0
    failures = 1

    const { code, stdout, stderr } = await extract(dataDir, '-110,30,-90,45')

    const file = await openPmtiles(join(dataDir, 'basemap', 'basemap.pmtiles'), 'The file')
    const [inside, outside, whole] = await Promise.all([file.readTile(7, 26, 48), file.readTile(7, 80, 48), file.readTile(0, 0, 0)])
    await file.close()
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/Copied \d+\.\d MB of \d+\.\d MB \(100 %\)\nThe search of addresses has 0 streets.\nBase map: /)
    expect(gunzipSync(inside!)).toEqual(contentOf(26, 48))
    expect([gunzipSync(whole!).toString(), outside]).toEqual(['world', undefined])
    expect([file.bounds, file.maxZoom, file.attribution]).toEqual([[-110, 30, -90, 45], 7, '© The City'])
    expect(requests).toBeLessThan(40)
  })

  it('says what failed and keeps the base map', async () => {
    const dataDir = createTemporaryFolder()
    await run(dataDir, city)
    failures = 0

    const missing = await extract(dataDir, '-110,30,-90,45', 'other.pmtiles')

    expect([missing.code, missing.stderr]).toEqual([
      1,
      expect.stringMatching(/other\.pmtiles could not be read \(.*404.*\)\. Nothing was changed/),
    ])
    expect(readFileSync(join(dataDir, 'basemap', 'basemap.pmtiles'))).toEqual(readFileSync(city))
  })
})
