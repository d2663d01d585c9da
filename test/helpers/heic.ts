import { readFileSync } from 'node:fs'

/**
 * A picture of 60 × 40 pixels, red on the left and blue on the right, coded as a grid, with a Display P3 profile, and EXIF data with the markers
 * `PLANT-make` and `PLANT-gps`. It was made by `heif-enc` of Debian 12 (libheif-examples) from a JPEG that sharp had drawn.
 */
export const redAndBlue = (): Buffer => readFileSync(new URL('../images/red-and-blue.heic', import.meta.url))

/** Replaces the first bytes of a box. */
export function patchBox(heic: Buffer, type: string, newType: string, payload: readonly number[] = []): Buffer {
  const patched = Buffer.from(heic)
  for (let offset = patched.indexOf(type); offset >= 0; offset = patched.indexOf(type, offset + 1)) {
    patched.write(newType, offset, 'latin1')
    patched.set(payload, offset + 4)
  }
  return patched
}

/** Returns the picture with a rotation by 90 degrees to the left instead of its colour profile. */
export const turnedHeic = () => patchBox(redAndBlue(), 'colr', 'irot', [1])

/** Returns a picture that says that it has 60,000 × 60,000 pixels. */
export const hugeHeic = () => patchBox(redAndBlue(), 'ispe', 'ispe', [0, 0, 0, 0, 0, 0, 0xea, 0x60, 0, 0, 0xea, 0x60])

/** Changes the major brand. */
export const brandedHeic = (brand: string, heic = redAndBlue()) =>
  Buffer.concat([heic.subarray(0, 8), Buffer.from(brand), heic.subarray(12)])

export function heicBox(type: string, payload: string): Buffer {
  const box = Buffer.alloc(8 + payload.length)
  box.writeUInt32BE(box.length)
  box.write(type + payload, 4, 'latin1')
  return box
}
