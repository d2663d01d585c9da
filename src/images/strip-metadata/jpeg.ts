import { damagedImage, COLOUR_PROFILE_MAX, EXIF_MAX } from './image-refused.ts'

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
 * Returns the parts of a JPEG (ITU-T T.81) that are its pixels, colours and orientation.
 * @throws ImageRefused if the file is truncated or has more parts than any camera writes
 */
export function stripJpegMetadata(bytes: Buffer): Buffer[] {
  const parts: Buffer[] = []
  const sizes = allowedSegments.map(() => 0)
  let segments = 0
  let scans = 0
  parts.push(bytes.subarray(0, 2))
  for (let offset = 2; ;) {
    // Fill bytes may precede a marker; they are rare and therefore limited.
    for (let fill = 0; bytes[offset] === 0xff && bytes[offset + 1] === 0xff; offset++) if (++fill > FILL_MAX) throw damagedImage()
    const marker = bytes[offset + 1]
    if (bytes[offset] !== 0xff || marker === undefined) throw damagedImage()
    if (marker === EOI) {
      parts.push(bytes.subarray(offset, offset + 2))
      return parts
    }
    segments += 1
    if (marker === SOS) scans += 1
    if (segments > SEGMENTS_MAX || scans > SCANS_MAX) throw damagedImage()
    const end = endOfSegment(bytes, offset, marker)
    if (isDecoderMarker(marker)) {
      parts.push(bytes.subarray(offset, end))
    } else {
      const kind = allowedSegments.findIndex(
        (segment) =>
          segment.marker === marker &&
          bytes.subarray(offset + 4, offset + 4 + segment.prefix.length).toString('latin1') === segment.prefix,
      )
      const { bytesMax, isSingle } = allowedSegments[kind] ?? { bytesMax: 0, isSingle: true }
      const before = sizes[kind] ?? 0
      if (before + end - offset <= bytesMax && (before === 0 || !isSingle)) parts.push(bytes.subarray(offset, end))
      if (kind >= 0) sizes[kind] = before + end - offset
    }
    offset = end
  }
}

/** Returns the end of a segment; a scan ends after its entropy-coded data. @throws ImageRefused if the file ends before */
function endOfSegment(bytes: Buffer, offset: number, marker: number): number {
  const length = offset + 4 <= bytes.length ? bytes.subarray(offset + 2, offset + 4).readUInt16BE(0) : 0
  let end = offset + 2 + length
  if (marker === SOS) end = endOfScan(bytes, end)
  if (length < 2 || end >= bytes.length) throw damagedImage()
  return end
}

/** Returns the offset of the next marker after entropy-coded data, skipping stuffed bytes and restart markers. */
function endOfScan(bytes: Buffer, start: number): number {
  for (let offset = bytes.indexOf(0xff, start); offset !== -1; offset = bytes.indexOf(0xff, offset + 1)) {
    const next = bytes[offset + 1]
    if (next === undefined) break
    if (next !== STUFFED && next !== 0xff && (next < RST0 || next > RST7)) return offset
  }
  throw damagedImage()
}
