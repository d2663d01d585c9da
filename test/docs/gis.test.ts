import { spawnSync } from 'node:child_process'
import { beforeAll, describe, expect, it } from 'vitest'

import { seedDemo } from '../../prisma/seeds/demo/demo.ts'
import { hasPythonPackage } from '../helpers/python.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { useApp } from '../helpers/use-app.ts'
import { freePort } from '../kill/servers.ts'
import { commandsIn, sectionOf, shell, textOf } from './commands.ts'

const section = sectionOf('docs/gis.md', 'Open it')
const commands = [...commandsIn(section), ...commandsIn(textOf('docs/ogc-api.md'))]
const linesIn = (language: string) =>
  [...section.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))]
    .flatMap(([, block = '']) => block.split('\n'))
    .filter((line) => line !== '' && !/^(#|\/\/)/.test(line))

const hasGdal = spawnSync('ogrinfo', ['--version']).status === 0
const LAYER = /Geometry: (Point|Multi Polygon)\nFeature Count: [1-9]/
/** Programs of the section, what shows that they are installed, and what they print. */
const programs = [
  { name: 'ogr2ogr', isHere: hasGdal, prints: LAYER, afterwards: ' && ogrinfo -so -al denver.gpkg' },
  { name: 'ogrinfo', isHere: hasGdal, prints: LAYER },
  { name: 'geopandas', isHere: hasPythonPackage('geopandas'), prints: /^(Open +[1-9]|\[\d+ rows)/m },
  { name: 'duckdb', isHere: hasPythonPackage('duckdb'), prints: /│ Open +│ +[1-9]/ },
  { name: 'curl -G', isHere: true, prints: /"numberMatched":[1-9]/ },
].map((program) => ({ afterwards: '', ...program, note: program.isHere ? '' : '(skipped: it is not installed)' }))

/** Links have the port, so it is known before the app listens. */
const port = await freePort()
const address = `http://127.0.0.1:${port}`
const here = (line: string) => line.replaceAll('http://127.0.0.1:3000', address)
const fetchJson = async (url: string) => (await fetch(url)).json()

describe('commands of docs/gis.md and docs/ogc-api.md', () => {
  const app = useApp({ ownApp: true, keepRows: true, env: { PUBLIC_URL: address } })
  beforeAll(async () => {
    await seedDemo(app.db, { issuesPerCity: 60, say: () => {} })
    await app.fastify.listen({ host: '127.0.0.1', port })
  })

  it('name only programs that are tested', () => {
    expect(commands.filter((command) => !programs.some(({ name }) => command.includes(name)))).toEqual([])
    expect(linesIn('py')).toHaveLength(2)
    expect(linesIn('js')).toHaveLength(2)
  })

  describe.each(programs)('for $name $note', ({ name, isHere, prints, afterwards }) => {
    it.skipIf(!isHere).each(commands.filter((command) => command.includes(name)))('read the demo: %s', async (command) => {
      expect(await shell(here(command) + afterwards, {}, createTemporaryFolder())).toMatch(prints)
    })
  })

  // QGIS opens these sources by OGR.
  describe(`for QGIS ${hasGdal ? '' : '(skipped: GDAL is not installed)'}`, () => {
    it.skipIf(!hasGdal).each(linesIn('py'))('read the demo: %s', async (line) => {
      const [, source = '', layer = ''] = /addVectorLayer\('(.*?)(?:\|layername=(.*?))?',/.exec(line) ?? []

      expect(await shell(`ogrinfo -so '${here(source)}' ${layer || '-al'}`)).toMatch(LAYER)
    })
  })

  it('give MapLibre a style whose source has tiles with issues', async () => {
    const styles: string[] = []
    const maplibregl = {
      Map: class {
        constructor({ style }: { style: string }) {
          styles.push(style)
        }
      },
    }
    const [line = ''] = linesIn('js')
    await runScript(here(line), { maplibregl })

    const { sources } = (await fetchJson(styles[0] ?? '')) as { sources: { issues: { url: string } } }
    const { tiles } = (await fetchJson(sources.issues.url)) as { tiles: [string] }
    const tile = await fetch(tiles[0].replace('{z}/{x}/{y}', '3/1/3'))
    expect([tile.status, (await tile.arrayBuffer()).byteLength > 0]).toEqual([200, true])
  })

  it('give Leaflet a collection of points', async () => {
    const layers: { data: unknown; map: unknown }[] = []
    const L = { geoJSON: (data: unknown) => ({ addTo: (map: unknown) => layers.push({ data, map }) }) }
    await runScript(here(linesIn('js')[1] ?? ''), { L, map: 'the map' })

    expect(layers).toMatchObject([{ map: 'the map', data: { type: 'FeatureCollection' } }])
    expect((layers[0]!.data as { features: object[] }).features[0]).toMatchObject({ geometry: { type: 'Point' } })
  })
})

async function runScript(script: string, names: Readonly<Record<string, unknown>>): Promise<void> {
  const AsyncFunction = (async () => {}).constructor as new (...names: string[]) => (...values: unknown[]) => Promise<void>
  await new AsyncFunction(...Object.keys(names), script)(...Object.values(names))
}
