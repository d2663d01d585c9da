import { IntlMessageFormat } from 'intl-messageformat'

import type { Language } from '../../../errors/texts/languages.ts'

/** Texts of mails about watch areas in one language; those with numbers are ICU messages. */
interface Messages {
  readonly inArea: string
  readonly inSomeArea: string
  readonly reported: string
  readonly reportedBy: string
  readonly updated: string
  readonly newReports: string
  readonly updates: string
  readonly acknowledged: string
  readonly closed: string
  readonly opened: string
  readonly comments: string
  readonly newTitle: string
  readonly updatedTitle: string
  readonly more: string
  readonly seeAreas: string
  readonly whyAtOnce: string
  readonly whyDaily: string
  readonly whyWeekly: string
  readonly manage: string
  readonly leave: string
}

const en: Messages = {
  inArea: 'in {name}',
  inSomeArea: 'in your watch area',
  reported: 'New report {where}',
  reportedBy: 'Reported by {who}',
  updated: 'News {where}',
  newReports: '{count, plural, one {# new report} other {# new reports}}',
  updates: '{count, plural, one {# update} other {# updates}}',
  acknowledged: 'acknowledged',
  closed: 'closed',
  opened: 'opened again',
  comments: '{count, plural, one {# comment} other {# comments}}',
  newTitle: 'New reports ({count, number})',
  updatedTitle: 'News of other reports ({count, number})',
  more: 'And {count, number} more',
  seeAreas: 'See your watch areas',
  whyAtOnce: 'You get this mail because you watch this area and want to know at once.',
  whyDaily: 'You get this mail because you watch this area and want one mail a day.',
  whyWeekly: 'You get this mail because you watch this area and want one mail a week.',
  manage: 'Your watch areas, and how often mails come',
  leave: 'No more mails about this area, or none at all',
}

const es: Messages = {
  inArea: 'en {name}',
  inSomeArea: 'en tu zona',
  reported: 'Reporte nuevo {where}',
  reportedBy: 'Reportado por {who}',
  updated: 'Novedades {where}',
  newReports: '{count, plural, one {# reporte nuevo} other {# reportes nuevos}}',
  updates: '{count, plural, one {# novedad} other {# novedades}}',
  acknowledged: 'reconocido',
  closed: 'cerrado',
  opened: 'abierto de nuevo',
  comments: '{count, plural, one {# comentario} other {# comentarios}}',
  newTitle: 'Reportes nuevos ({count, number})',
  updatedTitle: 'Novedades de otros reportes ({count, number})',
  more: 'Y {count, number} más',
  seeAreas: 'Ver tus zonas',
  whyAtOnce: 'Recibes este correo porque vigilas esta zona y quieres saberlo enseguida.',
  whyDaily: 'Recibes este correo porque vigilas esta zona y quieres un correo al día.',
  whyWeekly: 'Recibes este correo porque vigilas esta zona y quieres un correo a la semana.',
  manage: 'Tus zonas, y cada cuánto llegan correos',
  leave: 'No recibir más correos sobre esta zona, o ninguno',
}

const fr: Messages = {
  inArea: 'dans « {name} »',
  inSomeArea: 'dans votre zone',
  reported: 'Nouveau signalement {where}',
  reportedBy: 'Signalé par {who}',
  updated: 'Du nouveau {where}',
  newReports: '{count, plural, one {# nouveau signalement} other {# nouveaux signalements}}',
  updates: '{count, plural, one {# nouvelle} other {# nouvelles}}',
  acknowledged: 'pris en charge',
  closed: 'clos',
  opened: 'rouvert',
  comments: '{count, plural, one {# commentaire} other {# commentaires}}',
  newTitle: 'Nouveaux signalements ({count, number})',
  updatedTitle: 'Nouvelles d’autres signalements ({count, number})',
  more: '{count, plural, one {Et # autre} other {Et # autres}}',
  seeAreas: 'Voir vos zones',
  whyAtOnce: 'Vous recevez ce courriel parce que vous surveillez cette zone et voulez savoir tout de suite.',
  whyDaily: 'Vous recevez ce courriel parce que vous surveillez cette zone et voulez un courriel par jour.',
  whyWeekly: 'Vous recevez ce courriel parce que vous surveillez cette zone et voulez un courriel par semaine.',
  manage: 'Vos zones, et la fréquence des courriels',
  leave: 'Ne plus recevoir de courriels sur cette zone, ou plus aucun',
}

type Say = (name: keyof Messages, values?: Readonly<Record<string, string | number>>) => string

function sayIn(language: Language, messages: Messages): Say {
  const formats = new Map(
    Object.entries(messages).map(([name, message]) => [
      name,
      new IntlMessageFormat(message as string, language, undefined, { ignoreTag: true }),
    ]),
  )
  return (name, values = {}) => String(formats.get(name)?.format(values))
}

export const watchWords: Readonly<Record<Language, Say>> = { en: sayIn('en', en), es: sayIn('es', es), fr: sayIn('fr', fr) }
