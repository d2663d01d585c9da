import { text } from '../locales/texts.ts'
import { problems, type ValidationErrors } from '../errors/problems.ts'
import type { Box } from '../images/paint-boxes.ts'

export const BOXES_MAX = 10
export const boxFields = ['x', 'y', 'width', 'height'] as const
/** A number in plain decimal digits, as browsers send it. */
const PER_CENT = /^\d{1,3}(\.\d{0,15})?$/

/**
 * Reads the boxes of a form by their numbers, such as `boxes[1][x]`. Blank rows are left out.
 * @throws Problem 422 by rows, such as `{"box_1": text}`, or `{"boxes": text}` for none
 */
export function parseBoxes(body: unknown): Box[] {
  const rows = toRecord(toRecord(body)['boxes'])
  const errors: Record<string, ValidationErrors[string]> = {}
  const boxes: Box[] = []
  for (let number = 1; number <= BOXES_MAX; number++) {
    const row = toRecord(rows[number])
    const inputs = boxFields.map((name) => (typeof row[name] === 'string' ? row[name].trim() : ''))
    if (inputs.every((input) => input === '')) continue
    const [x = NaN, y = NaN, width = NaN, height = NaN] = inputs.map((input) => (PER_CENT.test(input) ? Number(input) : NaN))
    const isInside = x >= 0 && x < 100 && y >= 0 && y < 100 && width > 0 && width <= 100 && height > 0 && height <= 100
    if (isInside) boxes.push({ x, y, width, height })
    else errors[`box_${number}`] = text('box_outside_of_picture')
  }
  if (Object.keys(errors).length > 0) throw problems.invalid(errors)
  if (boxes.length === 0) throw problems.invalid({ boxes: text('boxes_missing') })
  return boxes
}

const toRecord = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
