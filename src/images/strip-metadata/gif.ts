import type { FileBytes } from './file-bytes.ts'
import { damaged, type KeptParts } from './byte-ranges.ts'
import { PictureRefused } from './picture-refused.ts'

const [EXTENSION, IMAGE, TRAILER] = [0x21, 0x2c, 0x3b]
const [GRAPHIC_CONTROL, APPLICATION] = [0xf9, 0xff]
/** Before the first block: signature, size of the screen, and where there is one the table of colours. */
const HEAD_BYTES = 13
const DESCRIPTOR_BYTES = 10
const FRAMES_MAX = 2_000
/** Each is held whole, several times over. */
const FRAME_PIXELS_MAX = 16_000_000
/** Of all frames and extensions: the usual length of a block is 255 bytes, and 20 MB of that are 80,000. */
const BLOCKS_MAX = 500_000

export interface GifBounds {
  /** Of all frames, what they draw and what they show. */
  readonly pixelsMax: number
  readonly tooManyPixels: () => PictureRefused
}

/**
 * Draws a GIF (89a) together to its frames, how long each shows, and whether they begin again: neither comments nor what programs put
 * into it, nor anything from behind its end.
 * @throws PictureRefused where it breaks off or has too many frames or pixels
 */
export function bareGif(bytes: FileBytes, kept: KeptParts, { pixelsMax, tooManyPixels }: GifBounds): void {
  if (bytes.length < HEAD_BYTES) throw damaged()
  const head = bytes.part(0, HEAD_BYTES)
  let [width, height] = [head.readUInt16LE(6), head.readUInt16LE(8)]
  let at = HEAD_BYTES + coloursBytes(head[10])
  const blocks = blocksOf(bytes)
  let frames = 0
  let drawn = 0
  let loops = false
  kept.keep(0, Math.min(at, bytes.length))
  /** Of the next frame; of several the last one counts. */
  let control: Buffer | undefined
  while (at < bytes.length) {
    const introducer = bytes.at(at)
    if (introducer === TRAILER) {
      kept.keep(at, at + 1)
      return
    }
    if (introducer === EXTENSION) {
      const end = blocks.end(at + 2)
      if (bytes.at(at + 1) === GRAPHIC_CONTROL && end - at === 8) control = bytes.part(at, end)
      if (bytes.at(at + 1) === APPLICATION && !loops && isLoop(bytes, at, end)) {
        kept.keep(at, end)
        loops = true
      }
      at = end
    } else if (introducer === IMAGE) {
      if (at + DESCRIPTOR_BYTES > bytes.length) throw damaged()
      frames += 1
      const descriptor = bytes.part(at, at + DESCRIPTOR_BYTES)
      drawn += descriptor.readUInt16LE(5) * descriptor.readUInt16LE(7)
      // A frame that reaches over the screen makes it larger, in libnsgif and so here.
      width = Math.max(width, descriptor.readUInt16LE(1) + descriptor.readUInt16LE(5))
      height = Math.max(height, descriptor.readUInt16LE(3) + descriptor.readUInt16LE(7))
      const screen = width * height
      if (frames > FRAMES_MAX) throw new PictureRefused(`must not have more than ${FRAMES_MAX.toLocaleString('en')} frames`)
      if (screen > FRAME_PIXELS_MAX)
        throw new PictureRefused(`must not have frames of more than ${FRAME_PIXELS_MAX / 1e6} million pixels`)
      if (drawn > pixelsMax || frames * screen > pixelsMax) throw tooManyPixels()
      const end = blocks.end(at + DESCRIPTOR_BYTES + coloursBytes(descriptor[9]) + 1)
      if (control) kept.add(control)
      kept.keep(at, end)
      control = undefined
      at = end
    } else throw damaged()
  }
  // Many programs forget the last byte.
  if (frames === 0 || at > bytes.length) throw damaged()
}

/** Of the table of colours whose size stands in these flags. */
const coloursBytes = (flags = 0) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0)

/** How often the frames begin again; others write it under another name. */
const isLoop = (bytes: FileBytes, at: number, end: number) =>
  end - at === 19 && ['NETSCAPE2.0', 'ANIMEXTS1.0'].includes(bytes.part(at + 3, at + 14).toString('latin1'))

/** Of a whole file. */
function blocksOf(bytes: FileBytes) {
  let count = 0
  return {
    /** Behind the empty block that ends a run of blocks, each of which begins with its length. */
    end(start: number): number {
      for (let at = start; at < bytes.length && count < BLOCKS_MAX; count++) {
        const length = bytes.at(at) ?? 0
        at += 1 + length
        if (length === 0) return at
      }
      throw damaged()
    },
  }
}
