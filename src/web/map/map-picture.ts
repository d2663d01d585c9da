import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'

import { isPrivate } from '../../http/caching/conditional.ts'
import { svgToPng } from '../../images/svg-to-png.ts'
import { DOT_SHAPES, mapImage, type MapOptions } from './drawn/map-svg.ts'
import { streetStyle } from './drawn/street-paths.ts'

/** An issue that is hidden later keeps its map in caches for this time. */
const CACHE_S = 300
const IMAGES_MAX = 100
const WATER = '#f2f6f7'
/** The colours of the style sheet. Mail programs show the image on a light and on a dark ground. */
const STYLE = `${streetStyle({ park: '#d3e6c8', water: '#c3dbe6', side: '#fff', main: '#fff3cf' })}.outline{fill:#e9eeea;fill-rule:evenodd;stroke:#7f9a92;stroke-width:1.5}${DOT_SHAPES}
.open{stroke:#cc4f00}.acknowledged{stroke:#0068b8}.closed{stroke:#00855d}.archived{stroke:#707a85}
.ring{fill:none;stroke:#53606d;stroke-dasharray:3 5;stroke-opacity:.7}.pin path{fill:#0b6176;stroke:#fff;stroke-width:2}.pin circle{fill:#fff}`

export type SendMapPicture = (
  request: FastifyRequest,
  reply: FastifyReply,
  map: MapOptions,
  options?: { readonly style?: string; readonly isPrivate?: boolean },
) => Promise<FastifyReply>

/** Returns a function that sends a map as a PNG, because mail programs show no SVG. Many recipients of a mail open the same map. */
export function createMapPictures(): SendMapPicture {
  const images = new LRUCache<string, Promise<Buffer>>({ max: IMAGES_MAX })

  return async (request, reply, map, { style = '', isPrivate: isPrivateMap = isPrivate(request) } = {}) => {
    const svg = mapImage(map, STYLE + style)
    void reply.header('cache-control', `${isPrivateMap ? 'private' : 'public'}, max-age=${CACHE_S}`)
    return reply.type('image/png').send(await render(svg))
  }

  function render(svg: string): Promise<Buffer> {
    const cached = images.get(svg)
    if (cached) return cached
    const image = svgToPng(svg, WATER)
    images.set(svg, image)
    image.catch(() => images.delete(svg))
    return image
  }
}
