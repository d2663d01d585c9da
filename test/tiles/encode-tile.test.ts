import { describe, expect, it } from 'vitest'

import { encodeTile } from '../../src/tiles/encode-tile.ts'
import { POINTS_MAX } from '../../src/tiles/point-queries.ts'
import { decodeTile } from './tile-client.ts'

describe('encodeTile', () => {
  it('writes features that a decoder reads', () => {
    const features = [
      { id: 2_147_483_647, x: -512, y: 4_607, values: ['Grüße 🕳️'.repeat(30), 0, true] },
      { id: 1, x: 0, y: 4_095, values: ['', 4_000_000_000, null] },
    ]

    const decoded = decodeTile(encodeTile('issues', ['summary', 'count', 'cluster'], features))

    expect(decoded).toEqual([
      {
        id: 2_147_483_647,
        x: -512,
        y: 4_607,
        properties: { id: 2_147_483_647, summary: 'Grüße 🕳️'.repeat(30), count: 0, cluster: true },
      },
      { id: 1, x: 0, y: 4_095, properties: { id: 1, summary: '', count: 4_000_000_000 } },
    ])
  })

  it('needs more than 500 kB for more than POINTS_MAX points of the smallest size', () => {
    const features = Array.from({ length: POINTS_MAX + 1 }, (_, n) => ({ id: n + 1, x: 0, y: 0, values: ['Open', null, 1, null] }))

    const body = encodeTile('issues', ['status', 'request_type_id', 'rating', 'summary'], features)

    expect(body.length).toBeGreaterThan(500_000)
  })
})
