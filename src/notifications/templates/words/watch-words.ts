import { IntlMessageFormat } from 'intl-messageformat'

import type { Language } from '../../../errors/texts/languages.ts'

/** The messages with numbers are ICU messages. */
interface Messages {
  readonly inArea: string
  readonly inUnnamedArea: string
  readonly reported: string
  readonly reportedSubject: string
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
  readonly mapAlt: string
  readonly seeAreas: string
  readonly reasonInstant: string
  readonly reasonDaily: string
  readonly reasonWeekly: string
  readonly manage: string
  readonly unsubscribe: string
}

const en: Messages = {
  inArea: 'in {name}',
  inUnnamedArea: 'in your watch area',
  reported: 'New report {where}',
  reportedSubject: 'New report {where}: {summary}',
  reportedBy: 'Reported by {who}',
  updated: 'Update {where}',
  newReports: '{count, plural, one {# new report} other {# new reports}}',
  updates: '{count, plural, one {# update} other {# updates}}',
  acknowledged: 'acknowledged',
  closed: 'closed',
  opened: 'reopened',
  comments: '{count, plural, one {# comment} other {# comments}}',
  newTitle: 'New reports ({count, number})',
  updatedTitle: 'Updates of other reports ({count, number})',
  more: 'And {count, number} more',
  mapAlt: '{count, plural, one {Map with the issue of this mail} other {Map with the # issues of this mail}}',
  seeAreas: 'See your watch areas',
  reasonInstant: 'You get this mail because you watch this area and chose immediate mails.',
  reasonDaily: 'You get this mail because you watch this area and chose one mail a day.',
  reasonWeekly: 'You get this mail because you watch this area and chose one mail a week.',
  manage: 'Change your watch areas or how often you get mails',
  unsubscribe: 'Unsubscribe from this area, or from all mails',
}

const es: Messages = {
  inArea: 'en {name}',
  inUnnamedArea: 'en tu zona',
  reported: 'Reporte nuevo {where}',
  reportedSubject: 'Reporte nuevo {where}: {summary}',
  reportedBy: 'Reportado por {who}',
  updated: 'Actualización {where}',
  newReports: '{count, plural, one {# reporte nuevo} other {# reportes nuevos}}',
  updates: '{count, plural, one {# actualización} other {# actualizaciones}}',
  acknowledged: 'reconocido',
  closed: 'cerrado',
  opened: 'reabierto',
  comments: '{count, plural, one {# comentario} other {# comentarios}}',
  newTitle: 'Reportes nuevos ({count, number})',
  updatedTitle: 'Actualizaciones de otros reportes ({count, number})',
  more: 'Y {count, number} más',
  mapAlt: '{count, plural, one {Mapa con el reporte de este correo} other {Mapa con los # reportes de este correo}}',
  seeAreas: 'Ver tus zonas',
  reasonInstant: 'Recibes este correo porque vigilas esta zona y elegiste correos inmediatos.',
  reasonDaily: 'Recibes este correo porque vigilas esta zona y elegiste un correo al día.',
  reasonWeekly: 'Recibes este correo porque vigilas esta zona y elegiste un correo a la semana.',
  manage: 'Cambiar tus zonas o la frecuencia de los correos',
  unsubscribe: 'Cancelar la suscripción a esta zona, o a todos los correos',
}

const fr: Messages = {
  inArea: 'dans « {name} »',
  inUnnamedArea: 'dans votre zone',
  reported: 'Nouveau signalement {where}',
  reportedSubject: 'Nouveau signalement {where} : {summary}',
  reportedBy: 'Signalé par {who}',
  updated: 'Mise à jour {where}',
  newReports: '{count, plural, one {# nouveau signalement} other {# nouveaux signalements}}',
  updates: '{count, plural, one {# mise à jour} other {# mises à jour}}',
  acknowledged: 'pris en compte',
  closed: 'clos',
  opened: 'rouvert',
  comments: '{count, plural, one {# commentaire} other {# commentaires}}',
  newTitle: 'Nouveaux signalements ({count, number})',
  updatedTitle: 'Mises à jour d’autres signalements ({count, number})',
  more: '{count, plural, one {Et # autre} other {Et # autres}}',
  mapAlt: '{count, plural, one {Carte avec le signalement de ce courriel} other {Carte avec les # signalements de ce courriel}}',
  seeAreas: 'Voir vos zones',
  reasonInstant: 'Vous recevez ce courriel parce que vous surveillez cette zone et avez choisi des courriels immédiats.',
  reasonDaily: 'Vous recevez ce courriel parce que vous surveillez cette zone et avez choisi un courriel par jour.',
  reasonWeekly: 'Vous recevez ce courriel parce que vous surveillez cette zone et avez choisi un courriel par semaine.',
  manage: 'Modifier vos zones ou la fréquence des courriels',
  unsubscribe: 'Se désabonner de cette zone, ou de tous les courriels',
}

type Translate = (name: keyof Messages, values?: Readonly<Record<string, string | number>>) => string

function createTranslate(language: Language, messages: Messages): Translate {
  const formats = new Map(
    Object.entries(messages).map(([name, message]) => [
      name,
      new IntlMessageFormat(message as string, language, undefined, { ignoreTag: true }),
    ]),
  )
  return (name, values = {}) => String(formats.get(name)?.format(values))
}

export const watchWords: Readonly<Record<Language, Translate>> = {
  en: createTranslate('en', en),
  es: createTranslate('es', es),
  fr: createTranslate('fr', fr),
}
