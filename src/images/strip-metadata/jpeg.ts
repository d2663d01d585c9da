import type { FileBytes } from './file-bytes.ts'
import { COLOUR_PROFILE_MAX, damagedImage, EXIF_MAX, type ByteRangeWriter } from './byte-ranges.ts'

const [SOS, EOI, STUFFED, RST0, RST7] = [0xda, 0xd9, 0x00, 0xd0, 0xd7]
/** Limit of the segments of all kinds; 20 MB of long ones have some hundred. */
const SEGMENTS_MAX = 2_000
const FILL_MAX = 1_000
/** Limit of the scans: a progressive JPEG of a camera has about ten, and each is a pass over all pixels. */
const SCANS_MAX = 30

/** Application segments that are needed to decode the pixels, by marker and prefix, with the limit of their total size. */
const allowedSegments = [
  { marker: 0xe0, prefix: 'JFIF\0', bytesMax: 65_536, isSingle: true },
  { marker: 0xe1, prefix: 'Exif\0\0', bytesMax: EXIF_MAX, isSingle: true },
  { marker: 0xe2, prefix: 'ICC_PROFILE\0', bytesMax: COLOUR_PROFILE_MAX, isSingle: false },
  { marker: 0xee, prefix: 'Adobe', bytesMax: 65_536, isSingle: true },
] as const

/** Markers from SOF to DRI, except 0xc8 and 0xdc, which the decoder does not support. */
const isDecoderMarker = (marker: number) => marker >= 0xc0 && marker <= 0xdd && marker !== 0xc8 && marker !== 0xdc

/**
 * Removes everything from a JPEG (ITU-T T.81) except its pixels, colours and orientation.
 * @throws ImageRefused if the file is truncated or has more parts than any camera writes
 */
export function stripJpegMetadata(bytes: FileBytes, output: ByteRangeWriter): void {
  const sizes = allowedSegments.map(() => 0)
  let segments = 0
  let scans = 0
  output.copy(0, 2)
  for (let offset = 2; ;) {
    // Fill bytes may precede a marker; they are rare and therefore limited.
    for (let fill = 0; bytes.at(offset) === 0xff && bytes.at(offset + 1) === 0xff; offset++)
      if (++fill > FILL_MAX) throw damagedImage()
    const marker = bytes.at(offset + 1)
    if (bytes.at(offset) !== 0xff || marker === undefined) throw damagedImage()
    if (marker === EOI) {
      output.copy(offset, offset + 2)
      return
    }
    segments += 1
    if (marker === SOS) scans += 1
    if (segments > SEGMENTS_MAX || scans > SCANS_MAX) throw damagedImage()
    const end = endOfSegment(bytes, offset, marker)
    if (isDecoderMarker(marker)) {
      output.copy(offset, end)
    } else {
      const kind = allowedSegments.findIndex(
        (segment) =>
          segment.marker === marker &&
          bytes.slice(offset + 4, offset + 4 + segment.prefix.length).toString('latin1') === segment.prefix,
      )
      const { bytesMax, isSingle } = allowedSegments[kind] ?? { bytesMax: 0, isSingle: true }
      const before = sizes[kind] ?? 0
      if (before + end - offset <= bytesMax && (before === 0 || !isSingle)) output.copy(offset, end)
      if (kind >= 0) sizes[kind] = before + end - offset
    }
    offset = end
  }
}

/** Returns the end of a segment; a scan ends after its entropy-coded data. @throws ImageRefused if the file ends before */
function endOfSegment(bytes: FileBytes, offset: number, marker: number): number {
  const length = offset + 4 <= bytes.length ? bytes.slice(offset + 2, offset + 4).readUInt16BE(0) : 0
  let end = offset + 2 + length
  if (marker === SOS) end = endOfScan(bytes, end)
  if (length < 2 || end >= bytes.length) throw damagedImage()
  return end
}

/** Returns the offset of the next marker after entropy-coded data, skipping stuffed bytes and restart markers. */
function endOfScan(bytes: FileBytes, start: number): number {
  for (let offset = start; ;) {
    const view = bytes.view(offset)
    if (view.length < 2) throw damagedImage()
    for (let index = 0; index + 1 < view.length; index++) {
      if (view[index] !== 0xff) continue
      const next = view[index + 1] ?? 0
      if (next !== STUFFED && next !== 0xff && (next < RST0 || next > RST7)) return offset + index
    }
    // The last byte of the window may begin a marker.
    offset += view.length - 1
  }
}
