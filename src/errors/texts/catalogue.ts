import { accounts } from './accounts.ts'
import { allowed } from './allowed.ts'
import { attention } from './attention.ts'
import { bodies } from './bodies.ts'
import { lists } from './lists.ts'
import { moderation } from './moderation.ts'
import { questions } from './questions.ts'
import { reports } from './reports.ts'
import { requests } from './requests.ts'
import { things } from './things.ts'
import { watchAreas } from './watch-areas.ts'

/** Messages by topic. A test checks that every code is unique. */
export const parts = {
  requests,
  bodies,
  things,
  allowed,
  lists,
  accounts,
  reports,
  attention,
  moderation,
  watchAreas,
  questions,
} as const

/** Every error text of the service, by its code. */
export const catalogue = {
  ...requests,
  ...bodies,
  ...things,
  ...allowed,
  ...lists,
  ...accounts,
  ...reports,
  ...attention,
  ...moderation,
  ...watchAreas,
  ...questions,
} as const
