/* The place of a picture, read on the device from its EXIF data (CIPA DC-008), since the server removes it. */

export interface PhotoPlace {
  readonly lat: number
  readonly lng: number
}

/** EXIF data precede the picture in files of cameras and phones. */
const BYTES_MAX = 4_000_000
const EXIF_HEADER = [0x45, 0x78, 0x69, 0x66, 0, 0]
const GPS_DIRECTORY = 0x8825
const [LAT_REF, LAT, LNG_REF, LNG] = [1, 2, 3, 4]
const [RATIONAL_BYTES, ENTRY_BYTES] = [8, 12]

/** Returns undefined for a picture without a place. */
export async function readPhotoPlace(file: Blob): Promise<PhotoPlace | undefined> {
  return findPhotoPlace(await file.slice(0, BYTES_MAX).arrayBuffer())
}

/** JPEG and HEIC both have the header before the TIFF structure; of several, the first with a place counts. */
export function findPhotoPlace(buffer: ArrayBuffer): PhotoPlace | undefined {
  const bytes = new Uint8Array(buffer)
  for (let start = bytes.indexOf(0x45); start >= 0; start = bytes.indexOf(0x45, start + 1)) {
    if (!EXIF_HEADER.every((byte, n) => bytes[start + n] === byte)) continue
    try {
      const place = readTiff(new DataView(buffer, start + EXIF_HEADER.length))
      if (place) return place
    } catch {
      // An offset beyond the end: the data are cut or broken.
    }
  }
  return undefined
}

function readTiff(view: DataView): PhotoPlace | undefined {
  const order = view.getUint16(0)
  if (order !== 0x4949 && order !== 0x4d4d) return undefined
  const isLittle = order === 0x4949
  if (view.getUint16(2, isLittle) !== 42) return undefined
  const gps = readDirectory(view, view.getUint32(4, isLittle), isLittle).get(GPS_DIRECTORY)
  if (gps === undefined) return undefined
  const entries = readDirectory(view, view.getUint32(gps, isLittle), isLittle)
  const lat = readDegrees(view, entries.get(LAT), isLittle) * readSign(view, entries.get(LAT_REF), 'S')
  const lng = readDegrees(view, entries.get(LNG), isLittle) * readSign(view, entries.get(LNG_REF), 'W')
  // Cameras without a fix write 0, 0.
  return Math.abs(lat) <= 90 && Math.abs(lng) <= 180 && (lat !== 0 || lng !== 0) ? { lat, lng } : undefined
}

/** Returns the offsets of the values by tag. */
function readDirectory(view: DataView, offset: number, isLittle: boolean): ReadonlyMap<number, number> {
  const count = view.getUint16(offset, isLittle)
  const entries = Array.from({ length: count }, (_, n) => offset + 2 + n * ENTRY_BYTES)
  return new Map(entries.map((entry) => [view.getUint16(entry, isLittle), entry + 8]))
}

/** Degrees, minutes and seconds are three fractions. */
function readDegrees(view: DataView, value: number | undefined, isLittle: boolean): number {
  if (value === undefined) return NaN
  const offset = view.getUint32(value, isLittle)
  const [degrees = NaN, minutes = NaN, seconds = NaN] = [0, 1, 2].map((n) => {
    const at = offset + n * RATIONAL_BYTES
    const divisor = view.getUint32(at + 4, isLittle)
    // Some programs write 0/0 for unknown seconds.
    return divisor === 0 && n > 0 ? 0 : view.getUint32(at, isLittle) / divisor
  })
  return degrees + minutes / 60 + seconds / 3600
}

const readSign = (view: DataView, value: number | undefined, negative: string) =>
  value !== undefined && String.fromCharCode(view.getUint8(value)) === negative ? -1 : 1
