import { spawnSync } from 'node:child_process'
import { beforeAll, describe, expect, it } from 'vitest'

import { seedDemo } from '../../prisma/seeds/demo/demo.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { useApp } from '../helpers/use-app.ts'
import { commandsIn, sectionOf, shell } from './commands.ts'

const section = sectionOf('docs/gis.md', 'Open it')
const commands = commandsIn(section)
const has = (program: string, ...args: string[]) => spawnSync(program, args).status === 0

/** Programs of the section, what shows that they are installed, and what they print. */
const programs = [
  { name: 'ogrinfo', isHere: has('ogrinfo', '--version'), prints: /Geometry: (Point|Multi Polygon)\nFeature Count: [1-9]/ },
  { name: 'geopandas', isHere: has('python3', '-c', 'import geopandas'), prints: /^Open +[1-9]/m },
  { name: 'duckdb', isHere: has('python3', '-c', 'import duckdb'), prints: /│ Open +│ +[1-9]/ },
].map((program) => ({ ...program, note: program.isHere ? '' : '(skipped: it is not installed)' }))

describe('The lines of docs/gis.md', () => {
  const app = useApp({ ownApp: true, keepRows: true })
  let address = ''
  beforeAll(async () => {
    await seedDemo(app.db, { issuesPerCity: 60, say: () => {} })
    address = await app.fastify.listen({ host: '127.0.0.1', port: 0 })
  })
  const here = (line: string) => line.replaceAll('http://127.0.0.1:3000', address)

  it('name only programs that are tested', () => {
    expect(commands.filter((command) => !programs.some(({ name }) => command.includes(name)))).toEqual([])
  })

  describe.each(programs)('for $name $note', ({ name, isHere, prints }) => {
    it.skipIf(!isHere).each(commands.filter((command) => command.includes(name)))('read the demo: %s', async (command) => {
      expect(await shell(here(command), {}, createTemporaryFolder())).toMatch(prints)
    })
  })

  it('give Leaflet a collection of points', async () => {
    const [, line = ''] = /```js\n\/\/ Leaflet\n(.*)\n```/.exec(section) ?? []
    const layers: { data: unknown; map: unknown }[] = []
    const leaflet = { geoJSON: (data: unknown) => ({ addTo: (map: unknown) => layers.push({ data, map }) }) }
    const AsyncFunction = (async () => {}).constructor as new (...names: string[]) => (...values: unknown[]) => Promise<void>

    await new AsyncFunction('L', 'map', here(line))(leaflet, 'the map')

    expect(layers).toMatchObject([{ map: 'the map', data: { type: 'FeatureCollection' } }])
    expect((layers[0]?.data as { features: object[] }).features[0]).toMatchObject({ geometry: { type: 'Point' } })
  })
})
