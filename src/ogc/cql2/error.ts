import { text, type Text } from '../../errors/texts/text.ts'
import type { Location } from './ast.ts'

/** An invalid filter. The exception ends the parser at the first error; `parse.ts` and `compile.ts` convert it to a problem. */
export class FilterError extends Error {
  readonly text: Text

  constructor(reason: Text, at: Location) {
    super()
    this.text =
      typeof at === 'number'
        ? text('at_character', { position: at, reason })
        : text('at_path', { path: at === '' ? '/' : at, reason })
  }
}

const DEPTH_MAX = 40
const PARTS_MAX = 1_000

/** Counts the parts and levels of a filter, so that no filter overflows the stack of a parser or of PostgreSQL. */
export function createSizeLimit() {
  let parts = 0
  let depth = 0
  return <Result>(at: Location, parse: () => Result): Result => {
    if (++parts > PARTS_MAX) throw new FilterError(text('filter_too_large', { max: PARTS_MAX }), at)
    if (++depth > DEPTH_MAX) throw new FilterError(text('filter_too_deep', { max: DEPTH_MAX }), at)
    const result = parse()
    depth--
    return result
  }
}
export type SizeLimit = ReturnType<typeof createSizeLimit>
