import type { MultiPolygon } from 'geojson'

import * as attention from './attention.ts'
import { categories, habits, snowMonths, type Category } from './categories.ts'
import { weighted, type Chance } from './chance.ts'
import type { City } from './cities/city.ts'
import { DAY_MS, HOUR_MS, type DraftIssue } from './drafts.ts'
import { liveThrough, wholeSecond } from './lives.ts'
import { answerQuestions, type RequestType } from './organizations.ts'
import type { People } from './people.ts'
import { spotsOf } from './spots.ts'
import { writeReport } from './texts.ts'

/** Reports go back a year and a half, the more the nearer to today. */
const OLDEST_DAYS = 540
const ANONYMOUS = 0.08
const ANSWERS_FORM = 0.55
const WORK_ORDER = 0.35

/** When people report, hour by hour of the day. */
const hours = weighted(
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

/** The issues of one city, each with its whole life. */
export function makeIssues(chance: Chance, { city, boundary, people, requestTypes, count, now }: IssueOptions): DraftIssue[] {
  const nextSpot = spotsOf(city, boundary)
  const chooseCategory = categoryChooser(city)
  const offered = requestTypes.filter(({ organization }) => !organization || organization.city === city)
  const organizations = people.organizations.filter((organization) => organization.city === city)
  const chooseResident = people.residentOf.get(city)
  if (!chooseResident) throw new Error(`${city.name} has no residents`)
  const resident = () => chooseResident(chance)

  return Array.from({ length: count }, () => {
    const createdAt = reportTime(chance, now, city.utcOffset)
    const category = chooseCategory(chance, createdAt)
    const requestType = chooseRequestType(chance, offered, category)
    const spot = nextSpot(chance)
    const report = writeReport(chance, spot, category)
    const reporter = resident()
    const anonymous = chance.yes(ANONYMOUS)
    const circumstances = {
      ...{ createdAt, now, category, spot, report, reporter, resident },
      organization: requestType?.organization ?? chance.among(organizations),
      theirs: requestType?.organization !== undefined,
      utcOffset: city.utcOffset,
      knownReporter: anonymous ? undefined : reporter,
    }
    const life = liveThrough(chance, circumstances)
    const comments = attention.comment(chance, { ...circumstances, life })
    const votes = attention.vote(chance, { ...circumstances, life }, reporter)
    return {
      ...life,
      ...{ city, spot, category, requestType, report, reporter, anonymous, createdAt, comments, votes },
      held: false,
      answers: requestType && chance.yes(ANSWERS_FORM) ? answerQuestions(chance, requestType, createdAt) : [],
      workOrder: life.acknowledgedAt !== null && chance.yes(WORK_ORDER) ? chance.whole(10_000, 99_999) : undefined,
      follows: attention.follow(chance, { ...circumstances, life }, reporter, comments, votes),
    }
  })
}

/** The category depends on the city and, for snow, on the month. */
function categoryChooser(city: City): (chance: Chance, at: number) => Category {
  const weightOf = (category: Category) => habits[category].weight * (city.emphasis[category] ?? 1)
  const always = weighted(
    categories.filter((category) => category !== 'snow'),
    weightOf,
  )
  const inWinter = weighted(categories, weightOf)
  return (chance, at) => (snowMonths.includes(new Date(at).getUTCMonth()) ? inWinter : always)(chance)
}

/** One of the request types of the category. Where there is none, or by the way of `other`, it belongs to the community. */
function chooseRequestType(chance: Chance, offered: readonly RequestType[], category: Category): RequestType | undefined {
  const fitting = offered.filter(({ spec }) => spec.category === category)
  if (fitting.length === 0 || (category === 'other' && chance.yes(0.6))) return undefined
  const ofCity = fitting.filter(({ organization }) => organization !== undefined)
  return chance.among(ofCity.length > 0 && chance.yes(0.96) ? ofCity : fitting)
}

function reportTime(chance: Chance, now: number, utcOffset: number): number {
  const day = now - OLDEST_DAYS * DAY_MS * chance.next() ** 1.9
  const local = day + utcOffset * HOUR_MS
  const at = wholeSecond(local - (local % DAY_MS) + hours(chance).hour * HOUR_MS + chance.next() * HOUR_MS - utcOffset * HOUR_MS)
  // A time in the future is replaced by one within the last hours.
  return at < now - 300_000 ? at : wholeSecond(now - chance.between(300_000, 14 * HOUR_MS))
}
