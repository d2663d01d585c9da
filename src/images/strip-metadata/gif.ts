import { text } from '../../locales/texts.ts'
import { damagedImage, ImageRefused } from './image-refused.ts'

const [EXTENSION, IMAGE, TRAILER] = [0x21, 0x2c, 0x3b]
const [GRAPHIC_CONTROL, APPLICATION] = [0xf9, 0xff]
/** Size of the signature and the logical screen descriptor, which precede the optional colour table. */
const HEAD_BYTES = 13
const DESCRIPTOR_BYTES = 10
const FRAMES_MAX = 2_000
/** Limit of the pixels of one frame, because the decoder holds several copies of it. */
const FRAME_PIXELS_MAX = 16_000_000
/** Limit of the blocks of all frames and extensions: 20 MB with the usual 255 bytes per block have 80,000. */
const BLOCKS_MAX = 500_000

export interface GifLimits {
  /** Limit of the pixels of all frames, both encoded and displayed. */
  readonly pixelsMax: number
  readonly tooManyPixels: () => ImageRefused
}

/**
 * Returns the parts of a GIF (89a) that are its frames, their delays and the loop count.
 * @throws ImageRefused if the file is truncated or has too many frames or pixels
 */
export function stripGifMetadata(bytes: Buffer, { pixelsMax, tooManyPixels }: GifLimits): Buffer[] {
  const parts: Buffer[] = []
  if (bytes.length < HEAD_BYTES) throw damagedImage()
  const head = bytes.subarray(0, HEAD_BYTES)
  let [width, height] = [head.readUInt16LE(6), head.readUInt16LE(8)]
  let offset = HEAD_BYTES + colourTableBytes(head[10])
  const subBlocks = subBlockReader(bytes)
  let frames = 0
  let framePixels = 0
  let hasLoop = false
  parts.push(bytes.subarray(0, Math.min(offset, bytes.length)))
  /** The graphic control extension of the next frame; the last one counts. */
  let graphicControl: Buffer | undefined
  while (offset < bytes.length) {
    const introducer = bytes[offset]
    if (introducer === TRAILER) {
      parts.push(bytes.subarray(offset, offset + 1))
      return parts
    }
    if (introducer === EXTENSION) {
      const end = subBlocks.end(offset + 2)
      if (bytes[offset + 1] === GRAPHIC_CONTROL && end - offset === 8) graphicControl = bytes.subarray(offset, end)
      if (bytes[offset + 1] === APPLICATION && !hasLoop && isLoopExtension(bytes, offset, end)) {
        parts.push(bytes.subarray(offset, end))
        hasLoop = true
      }
      offset = end
    } else if (introducer === IMAGE) {
      if (offset + DESCRIPTOR_BYTES > bytes.length) throw damagedImage()
      frames += 1
      const descriptor = bytes.subarray(offset, offset + DESCRIPTOR_BYTES)
      framePixels += descriptor.readUInt16LE(5) * descriptor.readUInt16LE(7)
      // A frame beyond the logical screen enlarges it, as in libnsgif.
      width = Math.max(width, descriptor.readUInt16LE(1) + descriptor.readUInt16LE(5))
      height = Math.max(height, descriptor.readUInt16LE(3) + descriptor.readUInt16LE(7))
      const screen = width * height
      if (frames > FRAMES_MAX) throw new ImageRefused(text('too_many_frames', { max: FRAMES_MAX }))
      if (screen > FRAME_PIXELS_MAX) throw new ImageRefused(text('frame_too_large', { max: FRAME_PIXELS_MAX / 1e6 }))
      if (framePixels > pixelsMax || frames * screen > pixelsMax) throw tooManyPixels()
      const end = subBlocks.end(offset + DESCRIPTOR_BYTES + colourTableBytes(descriptor[9]) + 1)
      if (graphicControl) parts.push(graphicControl)
      parts.push(bytes.subarray(offset, end))
      graphicControl = undefined
      offset = end
    } else throw damagedImage()
  }
  // A missing trailer is accepted, because many programs omit it.
  if (frames === 0 || offset > bytes.length) throw damagedImage()
  return parts
}

const colourTableBytes = (flags = 0) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0)

const isLoopExtension = (bytes: Buffer, offset: number, end: number) =>
  end - offset === 19 && ['NETSCAPE2.0', 'ANIMEXTS1.0'].includes(bytes.subarray(offset + 3, offset + 14).toString('latin1'))

function subBlockReader(bytes: Buffer) {
  let count = 0
  return {
    /** Returns the offset after the empty block that ends a sequence of sub-blocks. Each begins with its length. */
    end(start: number): number {
      for (let offset = start; offset < bytes.length && count < BLOCKS_MAX; count++) {
        const length = bytes[offset] ?? 0
        offset += 1 + length
        if (length === 0) return offset
      }
      throw damagedImage()
    },
  }
}
