import sharp from 'sharp'

import { limitConcurrency } from '../http/request/request-limit.ts'
// The module blocks the loaders of libvips, so it must run before one is allowed here.
import './image.ts'

/** Uploads are read from files, and the loader of SVG files stays blocked: only drawings of the service are in memory. */
sharp.unblock({ operation: ['VipsForeignLoadSvgBuffer'] })

const limitDrawings = limitConcurrency({ concurrency: 1, queueMax: 40, waitMaxMs: 10_000 })
const PIXELS_MAX = 4_000_000

/**
 * Renders a drawing of the service. Never call it with a document from users. librsvg knows no CSS variables.
 * @param background CSS colour
 * @throws Problem 503 if too many drawings are queued
 */
export const svgToPng = (svg: string, background: string): Promise<Buffer> =>
  limitDrawings(() =>
    sharp(Buffer.from(svg), { limitInputPixels: PIXELS_MAX }).flatten({ background }).png({ palette: true }).toBuffer(),
  )
