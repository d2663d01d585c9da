import { text, type Text } from '../../locales/texts.ts'
import type { Location } from './ast.ts'

/** An invalid filter. The exception ends the parser or compiler at the first error; callers convert it to a problem. */
export class FilterError extends Error {
  readonly reason: Text
  readonly #at: Location

  constructor(reason: Text, at: Location) {
    super()
    this.reason = reason
    this.#at = at
  }

  /** The reason with its position. */
  get text(): Text {
    const { reason } = this
    if (this.#at === '') return text('at_root', { reason })
    return typeof this.#at === 'number'
      ? text('at_character', { position: this.#at, reason })
      : text('at_path', { path: this.#at, reason })
  }
}

const DEPTH_MAX = 40
export const PARTS_MAX = 1_000

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
