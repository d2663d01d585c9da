import type { Issue } from '../issues/schema.ts'
import type { IssueFeature } from './schema.ts'

/** Returns an issue as a GeoJSON feature (RFC 7946) with flat properties. Coordinates are longitude, latitude. */
export function toFeature(issue: Issue): IssueFeature {
  const { point, reporter, request_type, media, id, status, summary, description, rating, address, html_url, url, ...more } = issue
  const { created_at, updated_at, acknowledged_at, closed_at, reopened_at } = more
  return {
    type: 'Feature',
    id,
    geometry: point,
    properties: {
      id,
      status,
      summary,
      description,
      rating,
      address,
      request_type: request_type.title ?? null,
      reporter: reporter.name,
      created_at,
      updated_at,
      acknowledged_at,
      closed_at,
      reopened_at,
      html_url,
      url,
      image_full: media.image_full,
      representative_image_url: media.representative_image_url,
    },
  }
}
