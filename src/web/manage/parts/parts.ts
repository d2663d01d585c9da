import type { Part, Row } from '../forms/part.ts'
import { questions } from './questions.ts'
import { requestTypes } from './request-types.ts'
import { settings } from './settings.ts'
import { calendars, targets } from './targets.ts'
import { templates } from './templates.ts'

/** The parts in the order of the page of contents. That of questions is below the request types. */
export const parts: readonly Part<Row>[] = [settings, requestTypes, questions, templates, targets, calendars]
