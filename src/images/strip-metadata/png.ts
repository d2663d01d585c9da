import type { FileBytes } from './file-bytes.ts'
import { COLOUR_PROFILE_MAX, damaged, EXIF_MAX, type KeptParts } from './byte-ranges.ts'

const SIGNATURE_BYTES = 8
/** Length, type and sum. */
const AROUND_CHUNK = 12
/** Programs write rows of some kilobytes; 20 MB in chunks of 400 bytes are nothing that a program writes. */
const CHUNKS_MAX = 50_000

/** What is kept, and how long it may be. Once is enough for all but the pixels. */
const chunks: Readonly<Record<string, number>> = {
  IHDR: 13,
  iCCP: COLOUR_PROFILE_MAX,
  PLTE: 768,
  tRNS: 256,
  eXIf: EXIF_MAX,
  IDAT: Infinity,
}

/**
 * Draws a PNG (ISO/IEC 15948) together to its pixels, its colours and which way up it is. Texts are gone before any library unpacks
 * them: some kilobytes of zeros packed are as many megabytes.
 * @throws PictureRefused where the chunks do not follow each other
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
