import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'

import { cellAt, columnAt, rowAt } from '../../src/geo/pyramid/cells.ts'
import { rollUpCellChanges } from '../../src/geo/pyramid/roll-up.ts'
import { mercatorY, type Point } from '../../src/geo/shapes.ts'
import { cellCentre, type TileAddress } from '../../src/tiles/tile-grid.ts'
import { POINTS_ZOOM, readTile, TEXTS_ZOOM } from '../../src/tiles/read-tile.ts'
import { runs } from '../helpers/long.ts'
import { useApp } from '../helpers/use-app.ts'
import { fetchTile, positionAt } from './tile-client.ts'

const GREEN = { lng: -72.9279, lat: 41.3083 }
const SUVA = { lng: 179.999, lat: -18.1248 }
const ZOOMS = [3, 11, 12, 15]
const EVERYWHERE = { area: { kind: 'everywhere' }, statuses: ['Open', 'Acknowledged', 'Closed'] } as const

/** Returns the tile of a point and its neighbours, in several zooms. */
const tilesAround = (point: Point): readonly TileAddress[] =>
  ZOOMS.flatMap((z) => {
    const { x, y } = positionAt(point, z)
    return [-1, 0, 1].flatMap((east) => [-1, 0, 1].map((south) => ({ z, x: (x + east + 2 ** z) % 2 ** z, y: y + south })))
  })

/** Returns whether a tile or its buffer of an eighth has an issue of this point. */
function shows({ z, x, y }: TileAddress, point: Point): boolean {
  const { lng, lat } =
    z < POINTS_ZOOM ? cellCentre(cellAt(z + 5, columnAt(point.lng) >> (11 - z), rowAt(point.lat) >> (11 - z))) : point
  const tiles = 2 ** z
  const east = (((((lng + 180) / 360) * tiles - x + tiles / 2) % tiles) + tiles) % tiles
  const south = mercatorY(lat) * tiles - y
  return [east - tiles / 2, south].every((offset) => offset >= -1 / 8 && offset <= 9 / 8)
}

interface Edit {
  readonly kind: 'create' | 'move' | 'status' | 'vote' | 'archive' | 'hide' | 'summary' | 'address' | 'description' | 'delete'
  /** The position of a point, as a part of a tile of zoom 12 from its north-western corner. */
  readonly at: readonly [east: number, south: number]
}

const offsets = fc.constantFrom(-0.9, -0.12, -0.001, 0, 0.001, 0.5, 0.9, 0.999, 1.001, 1.12, 1.9)
const edits = fc.record<Edit>({
  kind: fc.constantFrom('create', 'move', 'status', 'vote', 'archive', 'hide', 'summary', 'address', 'description', 'delete'),
  at: fc.tuple(offsets, offsets),
})

describe('ETag of a tile', () => {
  const app = useApp()
  let id = 0
  let position: Point = GREEN

  const centres = [GREEN, SUVA]
  const pointAt = (centre: Point, [east, south]: Edit['at']): Point => {
    const { x, y } = positionAt(centre, 12)
    const lng = ((x + east) / 4_096) * 360 - 180
    const lat = (Math.atan(Math.sinh(Math.PI * (1 - (2 * (y + south)) / 4_096))) * 180) / Math.PI
    return { lng: lng > 180 ? lng - 360 : lng, lat }
  }

  beforeEach(async () => {
    for (const at of centres) await app.create.issue({ at })
  })

  const update = (data: Parameters<typeof app.db.prisma.issue.update>[0]['data']) =>
    app.db.prisma.issue.update({ where: { id }, data })

  /** Edits the issue and returns whether a tile that shows its old or new position changes. */
  async function apply({ kind, at }: Edit, centre: Point): Promise<(tile: TileAddress) => boolean> {
    const before = position
    switch (kind) {
      case 'create':
        await app.create.issue({ at: pointAt(centre, at) })
        return (tile) => shows(tile, pointAt(centre, at))
      case 'move': {
        const [from, to] = [before, pointAt(centre, at)]
        await update({ lng: to.lng, lat: to.lat })
        return (tile) => !isSamePlace(tile, from, to) && (shows(tile, from) || shows(tile, to))
      }
      case 'status':
        await update({ status: 'Acknowledged' })
        return (tile) => shows(tile, before)
      case 'vote':
        await update({ vote_count: { increment: 1 } })
        return (tile) => tile.z >= POINTS_ZOOM && shows(tile, before)
      case 'archive':
        await update({ status: 'Archived' })
        return (tile) => shows(tile, before)
      case 'hide':
        await update({ moderation_state: 'held' })
        return (tile) => shows(tile, before)
      case 'summary':
        await update({ summary: 'Deep hole' })
        return (tile) => tile.z >= TEXTS_ZOOM && shows(tile, before)
      case 'address':
        await update({ address: '1 Main St' })
        return (tile) => tile.z >= TEXTS_ZOOM && shows(tile, before)
      case 'description':
        await update({ description: 'It is deep.' })
        return () => false
      case 'delete':
        await app.db.prisma.issue.delete({ where: { id } })
        return (tile) => shows(tile, before)
    }
  }

  const isSamePlace = ({ z }: TileAddress, a: Point, b: Point) =>
    z < POINTS_ZOOM
      ? columnAt(a.lng) >> (11 - z) === columnAt(b.lng) >> (11 - z) && rowAt(a.lat) >> (11 - z) === rowAt(b.lat) >> (11 - z)
      : a.lng === b.lng && a.lat === b.lat

  const fetch = ({ z, x, y }: TileAddress, headers = {}) => fetchTile(app, `${z}/${x}/${y}`, '', headers)
  const hashOf = (etag: unknown) => String(etag).split('~')[0]

  it('changes only for tiles that show the edit', async () => {
    const cases = runs(10)
    let [changed, unchanged] = [0, 0]

    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...centres),
        offsets,
        offsets,
        edits,
        fc.boolean(),
        async (centre, east, south, edit, rollsUp) => {
          position = pointAt(centre, [east, south])
          id = await app.create.issue({ at: position })
          const tiles = tilesAround(centre)
          const before = await Promise.all(tiles.map((tile) => fetch(tile)))

          const changes = await apply(edit, centre)
          if (rollsUp) await rollUpCellChanges(app.db)

          for (const [n, tile] of tiles.entries()) {
            const { body, headers } = before[n] ?? {}
            const etag = String(headers?.['etag'])
            const after = await fetch(tile, { 'if-none-match': etag })
            const actual = await readTile(app.db, tile, EVERYWHERE)

            const isChanged = !actual.body.equals(body ?? Buffer.alloc(0))
            const where = { ...edit, ...tile }
            expect({ ...where, isChanged }).toEqual({ ...where, isChanged: changes(tile) })
            expect({ ...where, status: after.status }).toEqual({ ...where, status: isChanged ? 200 : 304 })
            expect({ ...where, hasNewHash: hashOf(after.headers['etag']) !== hashOf(etag) }).toEqual({
              ...where,
              hasNewHash: isChanged,
            })
            if (isChanged) expect(after.body.equals(actual.body)).toBe(true)
            if (isChanged) changed++
            else unchanged++
          }
        },
      ),
      cases,
    )

    expect(changed).toBeGreaterThan(2 * cases.numRuns)
    expect(unchanged).toBeGreaterThan(2 * cases.numRuns)
  })
})
