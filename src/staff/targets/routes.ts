import type { FastifyPluginAsync } from 'fastify'

import type { Services } from '../../services.ts'
import { addContentRoutes, documentKind } from '../../organizations/content.ts'
import { addCalendar, changeCalendar, deleteCalendar, listCalendars } from './calendars.ts'
import { addRule, changeRule, deleteRule, listRules } from './rules.ts'
import { Calendar, CalendarChange, CALENDARS_MAX, NewCalendar, RULES_MAX, TargetRule, TargetRuleChange } from './schema.ts'

const FOLLOWS = 'The targets of open issues follow within two minutes, except those that staff have set.'

export const targetRoutes: FastifyPluginAsync<Services> = async (app, services) => {
  addContentRoutes(app, services, {
    name: 'calendars',
    parameter: ['calendar_id', 'calendar'],
    schemas: { item: Calendar, added: NewCalendar, changed: CalendarChange },
    documentation: documentKind(['Calendar', 'calendar'], {
      list: 'Working hours and holidays, in the order of their creation.',
      add: `At most ${CALENDARS_MAX}, each with at least one working hour a week.`,
      change: FOLLOWS,
      remove: 'Not while a target uses it.',
    }),
    list: listCalendars,
    notFound: 'the_calendar',
    add: addCalendar,
    change: changeCalendar,
    remove: deleteCalendar,
  })

  addContentRoutes(app, services, {
    name: 'targets',
    parameter: ['target_id', 'target'],
    schemas: { item: TargetRule, added: TargetRuleChange, changed: TargetRuleChange },
    documentation: documentKind(['Target', 'target'], {
      list: 'The times within which its issues should be acknowledged and closed, by request type.',
      add: `One for each request type, and one for all others: at most ${RULES_MAX}. ${FOLLOWS}`,
      change: FOLLOWS,
      remove: FOLLOWS,
    }),
    list: listRules,
    notFound: 'the_target_rule',
    add: addRule,
    change: changeRule,
    remove: deleteRule,
  })
}
