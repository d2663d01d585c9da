import { damagedImage, COLOUR_PROFILE_MAX, EXIF_MAX } from './image-refused.ts'

/** Size of `RIFF`, the length of the file and `WEBP`. */
const HEAD_BYTES = 12
const CHUNK_HEAD_BYTES = 8
/** Limit of the chunks until the first frame ends; encoders write fewer than ten. */
const CHUNKS_MAX = 1_000
/** Flag of the extended header (VP8X) for XMP, which is always removed. */
const XMP_FLAG = 0x04

/** Allowed chunks with their maximum size. Each may occur once, and of an animation only the first frame (ANMF). */
const allowedChunks: Readonly<Record<string, number>> = {
  VP8X: 10,
  ICCP: COLOUR_PROFILE_MAX,
  ANIM: 6,
  ANMF: Infinity,
  ALPH: Infinity,
  'VP8 ': Infinity,
  VP8L: Infinity,
  EXIF: EXIF_MAX,
}

/**
 * Returns the parts of a WebP (RFC 9649) that are the pixels, colours and orientation of its first frame.
 * @throws ImageRefused if the file is truncated or has more parts than any encoder writes
 */
export function stripWebpMetadata(bytes: Buffer): Buffer[] {
  if (bytes.length < HEAD_BYTES + CHUNK_HEAD_BYTES) throw damagedImage()
  const fileEnd = 8 + bytes.subarray(4, 8).readUInt32LE(0)
  if (fileEnd > bytes.length) throw damagedImage()
  const chunks = listChunks(bytes, fileEnd)
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES))
  head.writeUInt32LE(
    chunks.reduce((sum, { start, end }) => sum + end - start, 4),
    4,
  )
  const parts = chunks.map(({ type, start, end }) => {
    const chunk = bytes.subarray(start, end)
    return type === 'VP8X' ? withoutXmpFlag(chunk) : chunk
  })
  return [head, ...parts]
}

interface Chunk {
  readonly type: string
  readonly start: number
  readonly end: number
}

function listChunks(bytes: Buffer, fileEnd: number): Chunk[] {
  const chunks = new Map<string, Chunk>()
  for (let start = HEAD_BYTES, count = 0; start + CHUNK_HEAD_BYTES <= fileEnd; count++) {
    const head = bytes.subarray(start, start + CHUNK_HEAD_BYTES)
    const type = head.toString('latin1', 0, 4)
    const length = head.readUInt32LE(4)
    // Chunks of an odd length are followed by one byte.
    const end = start + CHUNK_HEAD_BYTES + length + (length % 2)
    if (count === CHUNKS_MAX || end > fileEnd) throw damagedImage()
    const bytesMax = Object.hasOwn(allowedChunks, type) ? (allowedChunks[type] ?? 0) : -1
    if (length <= bytesMax && !chunks.has(type)) chunks.set(type, { type, start, end })
    start = end
  }
  return [...chunks.values()]
}

function withoutXmpFlag(bytes: Buffer): Buffer {
  const header = Buffer.from(bytes)
  header.writeUInt8(header.readUInt8(CHUNK_HEAD_BYTES) & ~XMP_FLAG, CHUNK_HEAD_BYTES)
  return header
}
