import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { FeatureCollection, Point } from 'geojson'
import { beforeAll, describe, expect, it } from 'vitest'

import { type Column, toColumns } from '../../src/gis/columns.ts'
import { IssueProperties } from '../../src/issues/records/schema.ts'
import { fill, someIssues } from '../geo/world.ts'
import { parseIssueList } from '../helpers/issue-list.ts'
import { hasPythonPackage, python } from '../helpers/python.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { useApp } from '../helpers/use-app.ts'
import { gdal, hasGdal } from './writers/gdal.ts'

const run = promisify(execFile)
const FILTER = '?status=open,acknowledged,closed,archived'
const TOLERANCE = 1e-7
const columns = toColumns(IssueProperties)
const hasPyarrow = hasPythonPackage('pyarrow')

type Types = Readonly<Record<string, string>>
const typesOf = (names: Record<Column['type'], string>): Types =>
  Object.fromEntries(columns.map(({ name, type }) => [name, names[type]]))
const usual = typesOf({ integer: 'Integer', number: 'Real', text: 'String', timestamp: 'DateTime' })
const { description: _, ...withoutDescription } = usual
const timesAsText = typesOf({ integer: 'Integer', number: 'Real', text: 'String', timestamp: 'String' })

/** Options with which GDAL reads a table of texts as typed columns with points. */
const csvOptions = ['X_POSSIBLE_NAMES=lng', 'Y_POSSIBLE_NAMES=lat', 'AUTODETECT_TYPE=YES', 'EMPTY_STRING_AS_NULL=YES'].flatMap(
  (option) => ['-oo', option],
)

interface Format {
  readonly name: string
  /** The types of columns that GDAL reports. */
  readonly types: Types
  readonly layers?: readonly string[]
  readonly options?: readonly string[]
}

const formats: readonly Format[] = [
  { name: 'geojson', types: usual },
  { name: 'geojsonl', types: usual },
  // The rating is a text of digits.
  { name: 'csv', types: { ...usual, rating: 'Integer' }, options: csvOptions },
  { name: 'fgb', types: usual },
  { name: 'gpkg', types: typesOf({ integer: 'Integer64', number: 'Real', text: 'String', timestamp: 'DateTime' }) },
  {
    name: 'gpx',
    types: { time: 'DateTime', name: 'String', desc: 'String', link1_href: 'String', type: 'String' },
    layers: ['waypoints'],
  },
  // The description is an element of KML, which knows no type of times.
  { name: 'kml', types: { ...withoutDescription, ...timesAsText, description: 'String', timestamp: 'DateTime' } },
]

interface Read {
  readonly id: number
  readonly coordinates: readonly number[]
}

const byId = (points: readonly Read[]) => points.toSorted((one, other) => one.id - other.id)

describe('whole downloads', () => {
  const app = useApp({ keepRows: true })
  let issues: readonly Read[]
  let entries: number

  beforeAll(async () => {
    const known = someIssues(200, 7)
    await fill(app.db, known)
    const [reporter, assignee] = [await app.create.user(), await app.create.user()]
    const organization = await app.create.organization()
    const at = { lng: -104.990_312_345_678_9, lat: 39.739_212_345_678_9 }
    const time = '2026-03-01T10:00:00Z'
    // It has a value in each column, because text formats tell no type of a column without values.
    const full = await app.create.issue({
      ...{
        id: 900,
        at,
        reporter,
        assignee,
        status: 'Archived',
        source: 'web',
        description: 'Two\nlines',
        address: '1 Main St, "rear"',
      },
      request_type: await app.create.requestType({ organization }),
      ...{ acknowledged_at: time, closed_at: time, reopened_at: time, video_url: 'https://youtu.be/abcdefghijk' },
    })
    await app.db.prisma.statusChange.create({ data: { issue_id: full, to_status: 'Archived', created_at: time } })
    const visible = known.filter(({ moderation_state }) => moderation_state === 'passed')
    issues = byId([...visible, { id: full, ...at }].map(({ id, lng, lat }) => ({ id, coordinates: [lng, lat] })))
    entries = parseIssueList(await app.as.anonymous.get(`/issues${FILTER}`)).pagination.entries
  })

  async function download(format: string): Promise<string> {
    const { statusCode, headers, rawPayload } = await app.fastify.inject({ url: `/exports/issues.${format}${FILTER}` })
    expect([statusCode, headers['x-total-count']]).toEqual([200, String(entries)])
    const file = join(createTemporaryFolder(), `issues.${format}`)
    writeFileSync(file, rawPayload)
    return file
  }

  function expectSamePoints(read: readonly Read[]): void {
    expect(read.map(({ id }) => id)).toEqual(issues.map(({ id }) => id))
    expect(read).toHaveLength(entries)
    // GPX has no longitude of 180, which is that of -180.
    const distances = read.map(({ coordinates }, n) =>
      coordinates.slice(0, 2).map((degrees, axis) => Math.abs(degrees - (issues[n]?.coordinates[axis] ?? NaN)) % 360),
    )
    expect(Math.max(...distances.flat())).toBeLessThanOrEqual(TOLERANCE)
  }

  describe.skipIf(!hasGdal)(`for ${gdal}`, () => {
    it.each(formats)(
      'have all issues, their points and typed columns as $name',
      async ({ name, types, layers = [], options = [] }) => {
        const file = await download(name)

        const { stdout: description } = await run('ogrinfo', ['-so', ...options, file, ...(layers.length > 0 ? layers : ['-al'])])
        const { stdout } = await run('ogr2ogr', [...options, '-f', 'GeoJSON', '/vsistdout/', file, ...layers], {
          maxBuffer: 1 << 26,
        })

        const reported = [...description.matchAll(/^(\w+): (\w+)(?:\(\w+\))? \(/gm)].map(([, column, type]) => [column, type])
        expect(description).toContain(`Feature Count: ${entries}\n`)
        expect(Object.fromEntries(reported)).toMatchObject(types)
        const { features } = JSON.parse(stdout) as FeatureCollection<Point, { id?: number; link1_href?: string }>
        expectSamePoints(
          byId(
            features.map(({ id, geometry, properties }) => ({
              id: Number(properties.id ?? id ?? properties.link1_href?.split('/').at(-1)),
              coordinates: geometry.coordinates,
            })),
          ),
        )
      },
    )
  })

  it.skipIf(!hasPyarrow)(
    `have all issues, their points and typed columns as parquet for pyarrow${hasPyarrow ? '' : ' (skipped: it is not installed)'}`,
    async () => {
      const script = `
import json, struct, sys, pyarrow.parquet
table = pyarrow.parquet.read_table(sys.argv[1])
points = [{'id': id.as_py(), 'coordinates': struct.unpack('<dd', wkb.as_py()[5:21])} for id, wkb in zip(table['id'], table['geometry'])]
print(json.dumps({'types': {field.name: str(field.type) for field in table.schema}, 'points': points}))`

      const { stdout } = await run(python, ['-c', script, await download('parquet')], { maxBuffer: 1 << 26 })

      const { types, points } = JSON.parse(stdout) as { types: Types; points: Read[] }
      expect(types).toMatchObject(
        typesOf({ integer: 'int32', number: 'double', text: 'string', timestamp: 'timestamp[ms, tz=UTC]' }),
      )
      expectSamePoints(byId(points))
    },
  )
})
