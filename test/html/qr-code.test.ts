import sharp from 'sharp'
import { describe, expect, it } from 'vitest'

import { qrCode } from '../../src/html/qr-code.ts'

describe('a QR code', () => {
  it('has a label, a border of two modules and the three patterns of its corners', async () => {
    const svg = String(qrCode('https://fixpoint.example.org/i/4er', 'QR code of <it>'))

    const size = Number(/viewBox="0 0 (\d+) \1"/.exec(svg)?.[1])
    const drawn = svg.replace(
      '<svg',
      `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" shape-rendering="crispEdges"`,
    )
    const pixels = await sharp(Buffer.from(drawn)).greyscale().raw().toBuffer()
    const row = (y: number) => [...pixels.subarray(y * size, (y + 1) * size)].map((value) => (value < 128 ? '#' : '.')).join('')

    expect(svg).toContain('aria-label="QR code of &lt;it&gt;"')
    expect(svg.length).toBeLessThan(4_000)
    expect(row(1)).toBe('.'.repeat(size))
    expect([row(2).slice(0, 10), row(2).slice(-10)]).toEqual(['..#######.', '.#######..'])
    expect([row(size - 3).slice(0, 10), row(5).slice(0, 10)]).toEqual(['..#######.', '..#.###.#.'])
  })
})
