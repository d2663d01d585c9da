import type { Map as MapLibreMap } from 'maplibre-gl'
import { afterEach, describe, expect, it, vi } from 'vitest'

import { showAreas } from '../../../src/web/map/browser/area-layers.ts'

describe('areas on the own base map', () => {
  afterEach(() => vi.unstubAllGlobals())

  it('are below the names of cities', () => {
    vi.stubGlobal('document', {})
    vi.stubGlobal('getComputedStyle', () => ({ getPropertyValue: () => '#123456' }))
    vi.stubGlobal('matchMedia', () => ({ matches: false }))
    const added: (string | undefined)[] = []
    const map = {
      getSource: () => undefined,
      addSource: () => undefined,
      getLayer: (id: string) => ({ id }),
      addLayer: (_layer: object, before?: string) => added.push(before),
    }

    showAreas(map as unknown as MapLibreMap, { type: 'FeatureCollection', features: [] })

    expect(added).toEqual(['district-labels', 'district-labels', 'district-labels'])
  })
})
