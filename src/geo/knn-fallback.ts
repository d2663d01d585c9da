/**
 * Runs a KNN query, and `fallback` if PostgreSQL reports "index returned tuples in wrong order". PostGIS rounds the bounds in the
 * index differently from distances: next to the equator and the meridians 0, 90 and 180 a bound may be a billionth of a metre too
 * large.
 */
export async function withKnnFallback<Row>(knnQuery: () => Promise<Row[]>, fallback: () => Promise<Row[]>): Promise<Row[]> {
  try {
    return await knnQuery()
  } catch (error) {
    if (!isKnnOrderError(error)) throw error
    return fallback()
  }
}

const isKnnOrderError = (error: unknown) => error instanceof Error && error.message === 'index returned tuples in wrong order'
