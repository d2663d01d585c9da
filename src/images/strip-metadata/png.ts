import { damagedImage, COLOUR_PROFILE_MAX, EXIF_MAX } from './image-refused.ts'

const SIGNATURE_BYTES = 8
/** Size of the length, type and checksum of a chunk. */
const CHUNK_OVERHEAD_BYTES = 12
/** Limit of the chunks: encoders write several kilobytes each, and 20 MB in 50,000 chunks would be 400 bytes each. */
const CHUNKS_MAX = 50_000

/** Allowed chunks with their maximum size. All but IDAT may occur once. */
const allowedChunks: Readonly<Record<string, number>> = {
  IHDR: 13,
  iCCP: COLOUR_PROFILE_MAX,
  PLTE: 768,
  tRNS: 256,
  eXIf: EXIF_MAX,
  IDAT: Infinity,
}

/**
 * Returns the parts of a PNG (ISO/IEC 15948) that are its pixels, colours and orientation.
 * @throws ImageRefused if the order of the chunks is invalid
 */
export function stripPngMetadata(bytes: Buffer): Buffer[] {
  const parts: Buffer[] = []
  const seen = new Set<string>()
  parts.push(bytes.subarray(0, SIGNATURE_BYTES))
  for (let offset = SIGNATURE_BYTES, count = 0; offset + CHUNK_OVERHEAD_BYTES <= bytes.length; count++) {
    const head = bytes.subarray(offset, offset + 8)
    const length = head.readUInt32BE(0)
    const type = head.toString('latin1', 4)
    const end = offset + CHUNK_OVERHEAD_BYTES + length
    if (count === CHUNKS_MAX || (count === 0 && type !== 'IHDR') || end > bytes.length) throw damagedImage()
    if (type === 'IEND') {
      parts.push(bytes.subarray(offset, end))
      return parts
    }
    const bytesMax = Object.hasOwn(allowedChunks, type) ? (allowedChunks[type] ?? 0) : -1
    if (length <= bytesMax && (type === 'IDAT' || !seen.has(type))) parts.push(bytes.subarray(offset, end))
    seen.add(type)
    offset = end
  }
  throw damagedImage()
}
