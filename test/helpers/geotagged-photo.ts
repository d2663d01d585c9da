import sharp from 'sharp'

interface Point {
  readonly lat: number
  readonly lng: number
}

const PRECISION = 1_000_000
const toRationals = (degrees: number) => `${Math.round(Math.abs(degrees) * PRECISION)}/${PRECISION} 0/1 0/1`

/** Returns a JPEG with the place in its EXIF data, or with other EXIF data only. */
export async function photoAt(point: Point | undefined): Promise<Buffer> {
  const picture = sharp({ create: { width: 60, height: 40, channels: 3, background: 'grey' } })
  const gps = point && {
    IFD3: {
      GPSLatitudeRef: point.lat < 0 ? 'S' : 'N',
      GPSLatitude: toRationals(point.lat),
      GPSLongitudeRef: point.lng < 0 ? 'W' : 'E',
      GPSLongitude: toRationals(point.lng),
    },
  }
  return picture
    .withExif({ IFD0: { Make: 'Camera' }, ...gps })
    .jpeg()
    .toBuffer()
}
