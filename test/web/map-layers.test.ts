import { describe, expect, it } from 'vitest'

import { CLUSTERS, COUNTS, issueLayers } from '../../src/web/map/browser/issue-style/layers.ts'

describe('the layers of clusters', () => {
  it('place each number with the room of its circle, those of most issues first, so that no other number or circle covers it', () => {
    const { above } = issueLayers({ font: ['sans-serif'], colour: () => '#fff', hasStreets: true })

    const [circles, numbers] = above
    expect([circles, numbers]).toMatchObject([
      { id: CLUSTERS, layout: { 'symbol-sort-key': ['get', 'point_count'] } },
      {
        id: COUNTS,
        layout: { 'icon-image': 'share-0', 'symbol-sort-key': ['-', ['get', 'point_count']] },
        paint: { 'icon-opacity': 0 },
      },
    ])
    expect(numbers?.layout).not.toHaveProperty('icon-allow-overlap')
    expect(numbers?.layout).not.toHaveProperty('text-optional')
  })
})
