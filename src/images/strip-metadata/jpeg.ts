import type { FileBytes } from './file-bytes.ts'
import { COLOUR_PROFILE_MAX, damaged, EXIF_MAX, type KeptParts } from './byte-ranges.ts'

const [SOS, EOI, STUFFED, RST0, RST7] = [0xda, 0xd9, 0x00, 0xd0, 0xd7]
/** Of any kind: 20 MB are some hundred long ones. */
const SEGMENTS_MAX = 2_000
const FILL_MAX = 1_000
/** A progressive picture of a camera has about ten, and each is a walk over all of its pixels. */
const SCANS_MAX = 30

/** Segments of programs that the pixels need, by their marker and how they begin, and the bytes that all of a kind may have. */
const needed = [
  { marker: 0xe0, begins: 'JFIF\0', bytesMax: 65_536, once: true },
  { marker: 0xe1, begins: 'Exif\0\0', bytesMax: EXIF_MAX, once: true },
  // A profile of colours comes in pieces.
  { marker: 0xe2, begins: 'ICC_PROFILE\0', bytesMax: COLOUR_PROFILE_MAX, once: false },
  { marker: 0xee, begins: 'Adobe', bytesMax: 65_536, once: true },
] as const

/** SOF to DRI; 0xc8 and 0xdc are for what no decoder of ours knows. */
const isPicture = (marker: number) => marker >= 0xc0 && marker <= 0xdd && marker !== 0xc8 && marker !== 0xdc

/**
 * Draws a JPEG (ITU-T T.81) together to its pixels, its colours and which way up it is: no comments, nothing of what programs and
 * cameras put into it, and nothing from behind its end.
 * @throws PictureRefused where it breaks off, or has more parts than any camera writes
 */
export function bareJpeg(bytes: FileBytes, kept: KeptParts): void {
  const taken = needed.map(() => 0)
  let segments = 0
  let scans = 0
  kept.keep(0, 2)
  for (let at = 2; ;) {
    // Any number of these may stand before a marker, and hardly any ever does.
    for (let fill = 0; bytes.at(at) === 0xff && bytes.at(at + 1) === 0xff; at++) if (++fill > FILL_MAX) throw damaged()
    const marker = bytes.at(at + 1)
    if (bytes.at(at) !== 0xff || marker === undefined) throw damaged()
    if (marker === EOI) {
      kept.keep(at, at + 2)
      return
    }
    segments += 1
    if (marker === SOS) scans += 1
    if (segments > SEGMENTS_MAX || scans > SCANS_MAX) throw damaged()
    const end = endOfSegment(bytes, at, marker)
    if (isPicture(marker)) {
      kept.keep(at, end)
    } else {
      const kind = needed.findIndex(
        ({ marker: its, begins }) => its === marker && bytes.part(at + 4, at + 4 + begins.length).toString('latin1') === begins,
      )
      const { bytesMax, once } = needed[kind] ?? { bytesMax: 0, once: true }
      const before = taken[kind] ?? 0
      if (before + end - at <= bytesMax && (before === 0 || !once)) kept.keep(at, end)
      if (kind >= 0) taken[kind] = before + end - at
    }
    at = end
  }
}

/** A scan ends behind its pixels. @throws PictureRefused where the file ends before that */
function endOfSegment(bytes: FileBytes, at: number, marker: number): number {
  const length = at + 4 <= bytes.length ? bytes.part(at + 2, at + 4).readUInt16BE(0) : 0
  let end = at + 2 + length
  if (marker === SOS) end = endOfPixels(bytes, end)
  if (length < 2 || end >= bytes.length) throw damaged()
  return end
}

/** Where the next marker stands that is none of those within pixels. */
function endOfPixels(bytes: FileBytes, start: number): number {
  for (let at = start; ;) {
    const view = bytes.view(at)
    if (view.length < 2) throw damaged()
    for (let place = 0; place + 1 < view.length; place++) {
      if (view[place] !== 0xff) continue
      const next = view[place + 1] ?? 0
      if (next !== STUFFED && next !== 0xff && (next < RST0 || next > RST7)) return at + place
    }
    // The last byte may begin a marker.
    at += view.length - 1
  }
}
