import { accounts } from './accounts.ts'
import { allowed } from './allowed.ts'
import { attention } from './attention.ts'
import { bodies } from './bodies.ts'
import { communityModeration } from './community-moderation.ts'
import { cursors } from './cursors.ts'
import { lists } from './lists.ts'
import { moderation } from './moderation.ts'
import { ofSchemas } from './of-schemas.ts'
import { operations } from './operations.ts'
import { questions } from './questions.ts'
import { reports } from './reports.ts'
import { requests } from './requests.ts'
import type { Texts } from './texts.ts'
import { things } from './things.ts'
import { watchAreas } from './watch-areas.ts'

/** By what they are about; a test holds that none stands twice. */
export const parts: Readonly<Record<string, Texts>> = {
  requests,
  bodies,
  things,
  allowed,
  ofSchemas,
  lists,
  cursors,
  accounts,
  reports,
  attention,
  moderation,
  communityModeration,
  operations,
  watchAreas,
  questions,
}

/** Every error text of the service. */
export const catalogue: Texts = Object.assign({}, ...Object.values(parts)) as Texts
