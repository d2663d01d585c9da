import { type FormValues, readText } from '../../html/form-input.ts'
import { type Frequency, frequencies } from '../../watch-areas/digest-times.ts'
import { type About, watchTopics } from '../../watch-areas/schema.ts'

/** Pages propose one mail a day; the default of the API is a mail for each event. */
export const DEFAULT_FREQUENCY = 'daily'

export interface Settings {
  readonly name: string
  readonly frequency: Frequency
  readonly about: About
}

export function readSettings(values: FormValues): Settings {
  const [frequency, about] = [readText(values, 'frequency'), readText(values, 'about')]
  return {
    name: readText(values, 'name'),
    frequency: frequencies.find((one) => one === frequency) ?? DEFAULT_FREQUENCY,
    about: watchTopics.find((one) => one === about) ?? 'all',
  }
}
