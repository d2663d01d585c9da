import Type, { type Static } from 'typebox'

import { text } from '../locales/texts.ts'
import { problems, type ValidationErrors } from '../errors/problems.ts'
import { type TileAddress, ZOOM_MAX } from './tile-grid.ts'

const Index = (description: string, example: number) => Type.Integer({ minimum: 0, description, examples: [example] })

export const TilePath = Type.Object({
  z: Index(`Zoom, 0 to ${ZOOM_MAX}.`, 12),
  x: Index('Column from the west, 0 to 2^z - 1.', 853),
  y: Index('Row from the north, 0 to 2^z - 1.', 1554),
})

/** @throws Problem 422 naming each number that is out of range */
export function parseTileAddress({ z, x, y }: Static<typeof TilePath>, names = { z: 'z', x: 'x', y: 'y' }): TileAddress {
  const maxima = { z: ZOOM_MAX, ...(z <= ZOOM_MAX ? { x: 2 ** z - 1, y: 2 ** z - 1 } : {}) }
  const numbers = { z, x, y }
  const errors: ValidationErrors = Object.fromEntries(
    Object.entries(maxima)
      .filter(([name, max]) => numbers[name as keyof typeof numbers] > max)
      .map(([name, max]) => [
        names[name as keyof typeof names],
        text('must_be', { allowed: text('number_between', { min: 0, max }) }),
      ]),
  )
  if (Object.keys(errors).length > 0) throw problems.invalid(errors)
  return numbers
}
