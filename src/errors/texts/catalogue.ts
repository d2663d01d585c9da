import { accounts } from './accounts.ts'
import { allowedValues } from './allowed-values.ts'
import { ogc } from './ogc.ts'
import { open311 } from './open311.ts'
import { participation } from './participation.ts'
import { bodies } from './bodies.ts'
import { exports } from './exports.ts'
import { lists } from './lists.ts'
import { moderation } from './moderation.ts'
import { questions } from './questions.ts'
import { reports } from './reports.ts'
import { requests } from './requests.ts'
import { resources } from './resources.ts'
import { watchAreas } from './watch-areas.ts'

/** Messages by topic. A test checks that every code is unique. */
export const topics = {
  requests,
  bodies,
  things: resources,
  allowed: allowedValues,
  lists,
  accounts,
  reports,
  attention: participation,
  moderation,
  watchAreas,
  questions,
  exports,
  ogc,
  open311,
} as const

export const catalogue = {
  ...requests,
  ...bodies,
  ...resources,
  ...allowedValues,
  ...lists,
  ...accounts,
  ...reports,
  ...participation,
  ...moderation,
  ...watchAreas,
  ...questions,
  ...exports,
  ...ogc,
  ...open311,
} as const
