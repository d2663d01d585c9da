import type { Page } from 'playwright-core'

interface Clip {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** Edges of letters are blended with the ground. */
const TOLERANCE = 30

/** Returns the number of pixels of a part of the page that have the colour, such as `#17212b`. */
export async function countColour(page: Page, clip: Clip, colour: string): Promise<number> {
  const wanted = [1, 3, 5].map((start) => Number.parseInt(colour.slice(start, start + 2), 16))
  const image = (await page.screenshot({ clip })).toString('base64')
  return page.evaluate(
    async ({ image, wanted, tolerance }) => {
      const bytes = Uint8Array.from(atob(image), (letter) => letter.charCodeAt(0))
      const bitmap = await createImageBitmap(new Blob([bytes]))
      const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')
      context?.drawImage(bitmap, 0, 0)
      const data = context?.getImageData(0, 0, bitmap.width, bitmap.height).data ?? []
      const isWanted = (pixel: number) => wanted.every((value, n) => Math.abs((data[pixel * 4 + n] ?? 0) - value) <= tolerance)
      return Array.from({ length: data.length / 4 }, (_, pixel) => pixel).filter(isWanted).length
    },
    { image, wanted, tolerance: TOLERANCE },
  )
}
