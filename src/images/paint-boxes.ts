import sharp from 'sharp'

import { decodeImage, encodeImage, IMAGE_PIXELS_MAX, type Image, limitImages } from './image.ts'

/** A part of a picture in per cent of its width and height, from the top left. */
export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/**
 * Paints black boxes over a stored picture and writes the result: a PNG stays a PNG, everything else becomes a JPEG. Only the first frame of an
 * animation is used, because what a box covers may move in the others.
 * @throws ImageRefused if the picture cannot be decoded; Problem 503 if too many images are queued
 */
export function paintBoxes(from: string, to: string, boxes: readonly Box[]): Promise<Image> {
  return limitImages(async () => {
    const source = sharp(from, { limitInputPixels: IMAGE_PIXELS_MAX })
    const { width, height, format, hasAlpha } = await decodeImage(source.metadata())
    const painted = source.composite(boxes.map((box) => toOverlay(box, { width, height })))
    if (!hasAlpha) painted.removeAlpha()
    return encodeImage(painted, to, format === 'png' ? 'png' : 'jpeg')
  })
}

/** Rounds outwards, so that no pixel is covered only in part. */
function toOverlay(box: Box, { width, height }: { readonly width: number; readonly height: number }) {
  const [left, top] = [Math.floor((box.x / 100) * width), Math.floor((box.y / 100) * height)]
  const right = Math.min(width, Math.ceil(((box.x + box.width) / 100) * width))
  const bottom = Math.min(height, Math.ceil(((box.y + box.height) / 100) * height))
  const size = { width: Math.max(1, right - left), height: Math.max(1, bottom - top) }
  return {
    input: { create: { ...size, channels: 3 as const, background: '#000' } },
    left: Math.min(left, width - 1),
    top: Math.min(top, height - 1),
  }
}
