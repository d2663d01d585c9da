import type { Urls } from '../http/request/urls.ts'
import { toIssue } from '../issues/present.ts'
import type { DuplicateMatch } from './queries.ts'
import type { Duplicate } from './schema.ts'

export function toDuplicate({ issue, distance_m, ...likeness }: DuplicateMatch, urls: Urls): Duplicate {
  return { ...toIssue(issue, urls), duplicate: { distance_m: Math.round(distance_m), ...likeness } }
}
