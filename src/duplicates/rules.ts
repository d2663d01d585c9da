import Type, { type Static } from 'typebox'

import { type Language, textsIn } from '../locales/texts.ts'
import { Id, nullable, stringEnum, Timestamp } from '../database/database.ts'

/** Maximum distance of duplicates: among houses a phone is wrong by tens of metres, and people report from across the street. */
export const RADIUS_M = 200
export const DUPLICATES_MAX = 3
/** Maximum number of compared issues: the nearest, and the newest among equally near ones. */
export const CANDIDATES_MAX = 500

/** `unspecified` means that the report or the issue has no request type or `other`, which says nothing for or against a duplicate. */
const typeMatches = ['same', 'similar', 'unspecified', 'different'] as const
type TypeMatch = (typeof typeMatches)[number]

export const Candidate = Type.Object({
  id: Id,
  distance_m: Type.Number(),
  type_match: stringEnum(typeMatches),
  /** The similarity of the summaries from 0 to 1; null without a summary. */
  likeness: nullable(Type.Number()),
  created_at: Timestamp,
})
export type Candidate = Static<typeof Candidate>

const DAY_MS = 86_400_000
/** The weight of the age is halved for an issue of this age. */
const HALF_AGE_DAYS = 90
const WEIGHTS = { distance: 0.4, kind: 0.3, words: 0.2, age: 0.1 } as const
const TYPE_WEIGHTS: Readonly<Record<TypeMatch, number>> = { same: 1, similar: 0.6, unspecified: 0.3, different: 0 }
/** An issue with a different request type is a duplicate only if it was filed wrongly, which only its words can show. */
const DIFFERENT_TYPE_LIKENESS_MIN = 0.5
const SIMILAR_LIKENESS_MIN = 0.3
const SAME_LIKENESS_MIN = 0.95

export function rankDuplicates<Near extends Candidate>(candidates: readonly Near[], now: Date): Near[] {
  return candidates
    .filter(({ type_match, likeness }) => type_match !== 'different' || (likeness ?? 0) >= DIFFERENT_TYPE_LIKENESS_MIN)
    .map((candidate) => ({ candidate, score: scoreCandidate(candidate, now) }))
    .sort(
      (one, other) =>
        other.score - one.score || one.candidate.distance_m - other.candidate.distance_m || other.candidate.id - one.candidate.id,
    )
    .slice(0, DUPLICATES_MAX)
    .map(({ candidate }) => candidate)
}

export const isAlike = ({ type_match, likeness }: Candidate): boolean =>
  type_match === 'same' || (likeness ?? 0) >= SIMILAR_LIKENESS_MIN

/** Returns a score from 0 to 1. */
function scoreCandidate({ distance_m, type_match, likeness, created_at }: Candidate, now: Date): number {
  const age_days = Math.max(now.getTime() - Date.parse(created_at), 0) / DAY_MS
  return (
    WEIGHTS.distance * (1 - distance_m / RADIUS_M) +
    WEIGHTS.kind * TYPE_WEIGHTS[type_match] +
    WEIGHTS.words * (likeness ?? 0) +
    (WEIGHTS.age * HALF_AGE_DAYS) / (HALF_AGE_DAYS + age_days)
  )
}

/**
 * Returns the reason of a match for people: "12 m away, the same kind, similar words".
 * @param writeDistance writes the distance in the units of the reader; without it, it is in metres
 */
export function describeMatch(
  { distance_m, type_match, likeness }: Candidate,
  language: Language,
  writeDistance?: (metres: number) => string,
): string {
  const texts = textsIn(language)
  const metres = Math.round(distance_m)
  const away = writeDistance
    ? texts('duplicateReason.away', { distance: writeDistance(metres) })
    : texts('duplicateReason.metresAway', { metres })
  const parts = [
    metres === 0 ? texts('duplicateReason.sameSpot') : away,
    type_match === 'same'
      ? texts('duplicateReason.sameKind')
      : type_match === 'similar'
        ? texts('duplicateReason.similarKind')
        : undefined,
    likeness === null || likeness < SIMILAR_LIKENESS_MIN
      ? undefined
      : likeness < SAME_LIKENESS_MIN
        ? texts('duplicateReason.similarWords')
        : texts('duplicateReason.sameWords'),
  ]
  return parts.filter((part) => part !== undefined).join(', ')
}
