import type { FastifyPluginAsync } from 'fastify'

import type { Services } from '../../services.ts'
import { addContentRoutes } from '../../organizations/content.ts'
import { addCalendar, changeCalendar, deleteCalendar, findCalendar, listCalendars } from './calendars.ts'
import { addRule, changeRule, deleteRule, findRule, listRules } from './rules.ts'
import {
  Calendar,
  CalendarChange,
  CalendarList,
  CALENDARS_MAX,
  NewCalendar,
  RULES_MAX,
  TargetRule,
  TargetRuleChange,
  TargetRuleList,
} from './schema.ts'

const FOLLOWS = 'The targets of open issues follow within two minutes, except those that staff have set.'
const PRESENT = 'Changes only the fields that are present.'

export const targetRoutes: FastifyPluginAsync<Services> = async (app, services) => {
  addContentRoutes(app, services, {
    name: 'calendars',
    parameter: ['calendar_id', 'calendar'],
    schemas: { item: Calendar, list: CalendarList, added: NewCalendar, changed: CalendarChange },
    documentation: {
      list: {
        operationId: 'listCalendars',
        summary: 'List the calendars of an organisation',
        description: 'Working hours and holidays, in the order of their creation.',
      },
      get: { operationId: 'getCalendar', summary: 'Get a calendar' },
      add: {
        operationId: 'createCalendar',
        summary: 'Add a calendar',
        description: `At most ${CALENDARS_MAX}, each with at least one working hour a week.`,
      },
      change: { operationId: 'updateCalendar', summary: 'Change a calendar', description: `${PRESENT} ${FOLLOWS}` },
      remove: { operationId: 'deleteCalendar', summary: 'Delete a calendar', description: 'Not while a target uses it.' },
    },
    isKeptInUse: true,
    list: listCalendars,
    find: findCalendar,
    add: addCalendar,
    change: changeCalendar,
    remove: deleteCalendar,
  })

  addContentRoutes(app, services, {
    name: 'targets',
    parameter: ['target_id', 'target'],
    schemas: { item: TargetRule, list: TargetRuleList, added: TargetRuleChange, changed: TargetRuleChange },
    documentation: {
      list: {
        operationId: 'listTargets',
        summary: 'List the targets of an organisation',
        description: 'The times within which its issues should be acknowledged and closed, by request type.',
      },
      get: { operationId: 'getTarget', summary: 'Get a target' },
      add: {
        operationId: 'createTarget',
        summary: 'Add a target',
        description: `One for each request type, and one for all others: at most ${RULES_MAX}. ${FOLLOWS}`,
      },
      change: { operationId: 'updateTarget', summary: 'Change a target', description: `${PRESENT} ${FOLLOWS}` },
      remove: { operationId: 'deleteTarget', summary: 'Delete a target', description: FOLLOWS },
    },
    list: listRules,
    find: findRule,
    add: addRule,
    change: changeRule,
    remove: deleteRule,
  })
}
