import type { MultiPolygon } from 'geojson'

import { draftComments, draftFollows, draftVotes } from './engagement.ts'
import { categories, categoryProfiles, snowMonths, type Category } from './categories.ts'
import { weightedPicker, type Random } from './random.ts'
import type { City } from './cities/city.ts'
import { DAY_MS, HOUR_MS, type DraftIssue } from './drafts.ts'
import { simulateLifecycle, wholeSecond } from './lifecycle.ts'
import { answerQuestions, type RequestType } from './organizations.ts'
import type { People } from './people.ts'
import { createSpotPicker } from './spots.ts'
import { writeReport } from './texts.ts'

const OLDEST_DAYS = 540
const ANONYMOUS_PROBABILITY = 0.08
const FORM_PROBABILITY = 0.55
const WORK_ORDER_PROBABILITY = 0.35

const hours = weightedPicker(
  [1, 1, 0, 0, 1, 2, 5, 9, 11, 11, 10, 10, 11, 10, 9, 9, 10, 11, 10, 8, 6, 5, 3, 2].map((weight, hour) => ({ weight, hour })),
  ({ weight }) => weight,
)

export interface IssueOptions {
  readonly city: City
  readonly boundary: MultiPolygon
  readonly people: People
  readonly requestTypes: readonly RequestType[]
  readonly count: number
  readonly now: number
}

export function makeIssues(random: Random, { city, boundary, people, requestTypes, count, now }: IssueOptions): DraftIssue[] {
  const nextSpot = createSpotPicker(city, boundary)
  const pickCategory = createCategoryPicker(city)
  const offered = requestTypes.filter(({ organization }) => !organization || organization.city === city)
  const organizations = people.organizations.filter((organization) => organization.city === city)
  const pickResident = people.residentPickers.get(city)
  if (!pickResident) throw new Error(`${city.name} has no residents`)
  const resident = () => pickResident(random)

  return Array.from({ length: count }, () => {
    const createdAt = reportTime(random, now, city.utcOffset)
    const category = pickCategory(random, createdAt)
    const requestType = pickRequestType(random, offered, category)
    const spot = nextSpot(random)
    const report = writeReport(random, spot, category)
    const reporter = resident()
    const anonymous = random.chance(ANONYMOUS_PROBABILITY)
    const context = {
      ...{ createdAt, now, category, spot, report, reporter, resident },
      organization: requestType?.organization ?? random.pick(organizations),
      isCityType: requestType?.organization !== undefined,
      utcOffset: city.utcOffset,
      knownReporter: anonymous ? undefined : reporter,
    }
    const lifecycle = simulateLifecycle(random, context)
    const comments = draftComments(random, { ...context, lifecycle })
    const votes = draftVotes(random, { ...context, lifecycle }, reporter)
    return {
      ...lifecycle,
      ...{ city, spot, category, requestType, report, reporter, anonymous, createdAt, comments, votes },
      isHeld: false,
      answers: requestType && random.chance(FORM_PROBABILITY) ? answerQuestions(random, requestType, createdAt) : [],
      workOrder:
        lifecycle.acknowledgedAt !== null && random.chance(WORK_ORDER_PROBABILITY) ? random.integer(10_000, 99_999) : undefined,
      follows: draftFollows(random, { ...context, lifecycle }, reporter, comments, votes),
    }
  })
}

function createCategoryPicker(city: City): (random: Random, at: number) => Category {
  const weightOf = (category: Category) => categoryProfiles[category].weight * (city.emphasis[category] ?? 1)
  const always = weightedPicker(
    categories.filter((category) => category !== 'snow'),
    weightOf,
  )
  const inWinter = weightedPicker(categories, weightOf)
  return (random, at) => (snowMonths.includes(new Date(at).getUTCMonth()) ? inWinter : always)(random)
}

/** Returns a request type of the category, preferably of the city; undefined if there is none, and for most issues of `other`. */
function pickRequestType(random: Random, offered: readonly RequestType[], category: Category): RequestType | undefined {
  const matching = offered.filter(({ spec }) => spec.category === category)
  if (matching.length === 0 || (category === 'other' && random.chance(0.6))) return undefined
  const cityTypes = matching.filter(({ organization }) => organization !== undefined)
  return random.pick(cityTypes.length > 0 && random.chance(0.96) ? cityTypes : matching)
}

function reportTime(random: Random, now: number, utcOffset: number): number {
  const day = now - OLDEST_DAYS * DAY_MS * random.next() ** 1.9
  const local = day + utcOffset * HOUR_MS
  const at = wholeSecond(local - (local % DAY_MS) + hours(random).hour * HOUR_MS + random.next() * HOUR_MS - utcOffset * HOUR_MS)
  // A time in the future is replaced by one within the last hours.
  return at < now - 300_000 ? at : wholeSecond(now - random.between(300_000, 14 * HOUR_MS))
}
