/**
 * Asks along a distance index, and `otherwise` where PostgreSQL gives up on it ("index returned tuples in wrong order"): the index bounds
 * a distance with other roundings than those that measure it. Where a coordinate of the vectors is next to 0, at the equator and at the
 * meridians 0, 90 and 180, a bound may be a billionth of a metre too large.
 */
export async function alongDistances<Row>(along: () => Promise<Row[]>, otherwise: () => Promise<Row[]>): Promise<Row[]> {
  try {
    return await along()
  } catch (error) {
    if (!isContradiction(error)) throw error
    return otherwise()
  }
}

const isContradiction = (error: unknown) => error instanceof Error && error.message === 'index returned tuples in wrong order'
