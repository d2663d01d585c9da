/**
 * Runs a KNN query, and `otherwise` if PostgreSQL reports "index returned tuples in wrong order". PostGIS rounds the bounds in the
 * index differently from distances: next to the equator and the meridians 0, 90 and 180 a bound may be a billionth of a metre too
 * large.
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
