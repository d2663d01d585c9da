import { describe, expect, it } from 'vitest'

import { findPhotoPlace } from '../../../src/web/map/browser/photo-place.ts'
import { photoAt } from '../../helpers/geotagged-photo.ts'
import { redAndBlue } from '../../helpers/heic.ts'
import { imagesWithMetadata } from '../../helpers/images.ts'

const toBuffer = (bytes: Uint8Array): ArrayBuffer => Uint8Array.from(bytes).buffer
const find = (bytes: Uint8Array) => findPhotoPlace(toBuffer(bytes))

describe('the place of a picture on the device', () => {
  it.each([
    ['north and west', { lat: 41.3083, lng: -72.9279 }],
    ['south and east', { lat: -33.8688, lng: 151.2093 }],
  ])('is read from a JPEG: %s', async (_name, place) => {
    const found = await photoAt(place).then(find)

    expect(found?.lat).toBeCloseTo(place.lat, 5)
    expect(found?.lng).toBeCloseTo(place.lng, 5)
  })

  it('is read from degrees, minutes and seconds', async () => {
    const [jpeg] = await imagesWithMetadata()

    const found = find(jpeg?.bytes ?? Buffer.alloc(0))

    expect(found?.lat).toBeCloseTo(39 + 44 / 60 + 21 / 3600, 5)
    expect(found?.lng).toBeCloseTo(-(104 + 59 / 60 + 25 / 3600), 5)
  })

  it('is read from a HEIC picture', async () => {
    const jpeg = await photoAt({ lat: 10, lng: 20 })
    const start = jpeg.indexOf('Exif\0\0', 0, 'latin1')
    const exif = Buffer.concat([Buffer.from([0, 0, 0, 6]), jpeg.subarray(start)])

    expect(find(Buffer.concat([redAndBlue(), exif]))).toEqual({ lat: 10, lng: 20 })
  })

  it('is none without a position, with 0, 0, and outside of the world', async () => {
    const pictures = [
      await photoAt(undefined),
      await photoAt({ lat: 0, lng: 0 }),
      await photoAt({ lat: 95, lng: 10 }),
      redAndBlue(),
    ]

    expect(pictures.map(find)).toEqual(pictures.map(() => undefined))
  })

  it('is none, or right, in a file that is cut anywhere or has a changed byte', async () => {
    const place = { lat: 10, lng: 20 }
    const jpeg = (await photoAt(place)).subarray(0, 400)
    const cuts = Array.from(jpeg, (_, length) => find(jpeg.subarray(0, length)))

    expect(cuts.filter((found) => found && (found.lat !== place.lat || found.lng !== place.lng))).toEqual([])
    expect(() =>
      Array.from(jpeg, (byte, at) => find(Uint8Array.from(jpeg, (one, n) => (n === at ? 255 - byte : one)))),
    ).not.toThrow()
  })
})
