/**
 * A KNN query (k nearest neighbours) reads an index in the order of distance. `fallback` runs if PostgreSQL reports "index returned
 * tuples in wrong order": next to the equator and the meridians 0, 90 and 180 PostGIS may round a bound in the index to a billionth of a
 * metre more than the distance.
 */
export async function withKnnFallback<Result>(knnQuery: () => Promise<Result>, fallback: () => Promise<Result>): Promise<Result> {
  try {
    return await knnQuery()
  } catch (error) {
    if (!isKnnOrderError(error)) throw error
    return fallback()
  }
}

const isKnnOrderError = (error: unknown) => error instanceof Error && error.message === 'index returned tuples in wrong order'
