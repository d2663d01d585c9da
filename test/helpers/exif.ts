/* EXIF as cameras write it and sharp cannot: big-endian TIFF 6.0, directories of EXIF 2.32. Contains `cameraMarkers` unencoded. */

type Entry = readonly [tag: number, type: number, count: number, value: Buffer]

const text = (tag: number, value: string): Entry => [tag, 2, value.length + 1, Buffer.from(`${value}\0`)]
const bytes = (tag: number, value: Buffer): Entry => [tag, 7, value.length, value]
const long = (tag: number, value: number): Entry => [tag, 4, 1, fourBytes(value)]
/** Encodes a text as rationals of eight letters each: 0x504C4E54 is PLNT. */
const rationals = (tag: number, letters: string): Entry => [tag, 5, letters.length / 8, Buffer.from(letters, 'latin1')]

function fourBytes(value: number): Buffer {
  const four = Buffer.alloc(4)
  four.writeUInt32BE(value)
  return four
}

const directorySize = (entries: readonly Entry[]) =>
  2 + 12 * entries.length + 4 + entries.reduce((sum, [, , , { length }]) => sum + (length > 4 ? length + (length % 2) : 0), 0)

/** A directory at offset `at`, followed by the values that are too long for its entries; `next` is the offset of the next one. */
function directory(at: number, entries: readonly Entry[], next = 0): Buffer {
  const head = Buffer.alloc(2 + 12 * entries.length + 4)
  head.writeUInt16BE(entries.length)
  head.writeUInt32BE(next, head.length - 4)
  const behind: Buffer[] = []
  let end = at + head.length
  for (const [index, [tag, type, count, value]] of entries.entries()) {
    const start = 2 + 12 * index
    head.writeUInt16BE(tag, start)
    head.writeUInt16BE(type, start + 2)
    head.writeUInt32BE(count, start + 4)
    if (value.length <= 4) value.copy(head, start + 8)
    else {
      head.writeUInt32BE(end, start + 8)
      behind.push(value, Buffer.alloc(value.length % 2))
      end += value.length + (value.length % 2)
    }
  }
  return Buffer.concat([head, ...behind])
}

const place = { latitude: 'PLNTLAT1PLNTLAT2PLNTLAT3', longitude: 'PLNTLNG1PLNTLNG2PLNTLNG3', altitude: 'PLNTALT1' }
const serials = { body: 'PLANT-serial-of-body', lens: 'PLANT-serial-of-lens', owner: 'PLANT-camera-owner', id: 'PLANT-unique-id' }
const MAKER_NOTE = 'PLANT-note-of-maker'

/** Each number of a rational is a marker, because one alone could reveal a place. */
const numbers = Object.values(place).flatMap((letters) => letters.match(/.{8}/g) ?? [])
export const cameraMarkers = [...numbers, ...Object.values(serials), MAKER_NOTE]

/** The directories of picture, camera, GPS and thumbnail, followed by the thumbnail. */
export function cameraExif(thumbnail: Buffer): Buffer {
  const camera = [
    bytes(0x927c, Buffer.from(MAKER_NOTE)),
    text(0xa420, serials.id),
    text(0xa430, serials.owner),
    text(0xa431, serials.body),
    text(0xa435, serials.lens),
  ]
  const gps = [
    text(0x0001, 'N'),
    rationals(0x0002, place.latitude),
    text(0x0003, 'W'),
    rationals(0x0004, place.longitude),
    rationals(0x0006, place.altitude),
  ]
  const picture = (cameraAt: number, gpsAt: number) => [text(0x010f, 'A maker'), long(0x8769, cameraAt), long(0x8825, gpsAt)]
  const small = (at: number) => [long(0x0103, 6), long(0x0201, at), long(0x0202, thumbnail.length)]

  const pictureAt = 8
  const cameraAt = pictureAt + directorySize(picture(0, 0))
  const gpsAt = cameraAt + directorySize(camera)
  const smallAt = gpsAt + directorySize(gps)
  return Buffer.concat([
    Buffer.from('MM\0*\0\0\0\x08', 'latin1'),
    directory(pictureAt, picture(cameraAt, gpsAt), smallAt),
    directory(cameraAt, camera),
    directory(gpsAt, gps),
    directory(smallAt, small(smallAt + directorySize(small(0)))),
    thumbnail,
  ])
}
