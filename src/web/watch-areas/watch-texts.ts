import type { Frequency } from '../../watch-areas/digest-times.ts'
import type { MailForecast } from '../../watch-areas/forecast-schema.ts'
import type { About } from '../../watch-areas/schema.ts'
import type { Choice } from '../../html/fields.ts'
import { formatCount, formatNumber } from '../../html/format.ts'

const frequencyNames: Readonly<Record<Frequency, string>> = {
  instant: 'At once, one mail for each event',
  daily: 'One mail a day, in the morning',
  weekly: 'One mail a week, on Monday morning',
  never: 'No mails: only the list and the feeds',
}
const aboutNames: Readonly<Record<About, string>> = {
  new: 'New issues',
  updates: 'Updates of issues',
  all: 'New issues and updates',
}

const toChoices = (names: Readonly<Record<string, string>>): Choice[] => Object.entries(names).map(([key, name]) => ({ key, name }))
export const frequencyChoices = toChoices(frequencyNames)
export const aboutChoices = toChoices(aboutNames)

export const isFrequency = (text: string): text is Frequency => Object.hasOwn(frequencyNames, text)
export const isAbout = (text: string): text is About => Object.hasOwn(aboutNames, text)

export function formatDistance(metres: number): string {
  return metres < 1_000 ? formatCount(metres, 'metre') : formatCount(metres / 1_000, 'kilometre')
}

export function describeForecast({ mails_per_week: { expected, low, high }, frequency, based_on: { days } }: MailForecast): string {
  if (frequency === 'never') return 'You will get no mails.'
  const mails = `${formatNumber(expected)} mail${expected === 1 ? '' : 's'}`
  const range =
    low === high ? `${formatNumber(low)} in most weeks` : `from ${formatNumber(low)} to ${formatNumber(high)} in four weeks of five`
  const basis = `based on the last ${days} days`
  // The average exceeds the usual range if many issues are reported on few days.
  if (expected > high)
    return `${low === high ? '' : 'F'}${range.slice(low === high ? 0 : 1)}, but sometimes many at once: ${mails} a week on average, ${basis}.`
  return `About ${mails} a week, ${range}, ${basis}.`
}
