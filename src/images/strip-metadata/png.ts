import type { FileBytes } from './file-bytes.ts'
import { COLOUR_PROFILE_MAX, damaged, EXIF_MAX, type KeptParts } from './byte-ranges.ts'

const SIGNATURE_BYTES = 8
/** Size of the length, type and checksum of a chunk. */
const AROUND_CHUNK = 12
/** Limit of the chunks: encoders write several kilobytes each, and 20 MB in 50,000 chunks would be 400 bytes each. */
const CHUNKS_MAX = 50_000

/** Allowed chunks with their maximum size. All but IDAT may occur once. */
const chunks: Readonly<Record<string, number>> = {
  IHDR: 13,
  iCCP: COLOUR_PROFILE_MAX,
  PLTE: 768,
  tRNS: 256,
  eXIf: EXIF_MAX,
  IDAT: Infinity,
}

/**
 * Removes everything from a PNG (ISO/IEC 15948) except its pixels, colours and orientation. Compressed texts are removed before
 * any library expands them.
 * @throws PictureRefused if the order of the chunks is invalid
 */
export function barePng(bytes: FileBytes, kept: KeptParts): void {
  const seen = new Set<string>()
  kept.keep(0, SIGNATURE_BYTES)
  for (let at = SIGNATURE_BYTES, count = 0; at + AROUND_CHUNK <= bytes.length; count++) {
    const head = bytes.part(at, at + 8)
    const length = head.readUInt32BE(0)
    const type = head.toString('latin1', 4)
    const end = at + AROUND_CHUNK + length
    if (count === CHUNKS_MAX || (count === 0 && type !== 'IHDR') || end > bytes.length) throw damaged()
    if (type === 'IEND') {
      kept.keep(at, end)
      return
    }
    const most = Object.hasOwn(chunks, type) ? (chunks[type] ?? 0) : -1
    if (length <= most && (type === 'IDAT' || !seen.has(type))) kept.keep(at, end)
    seen.add(type)
    at = end
  }
  throw damaged()
}
