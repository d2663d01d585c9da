import { html, type SafeHtml } from '../../html/template.ts'
import type { Language } from '../../errors/texts/languages.ts'

type Link = (text: string) => SafeHtml

/** Texts of one list: the reports of the viewer, or the issues that the viewer follows. */
export interface OwnListTexts {
  readonly description: string
  readonly intro: string
  /** An ICU message. */
  readonly count: string
  readonly empty: string
  readonly next: (first: Link, second: Link) => SafeHtml
}

export interface OwnIssuesTexts {
  readonly reports: OwnListTexts
  readonly following: OwnListTexts
  readonly status: string
  readonly all: string
  readonly held: string
  readonly rejected: string
  readonly anonymous: string
  readonly noneInState: (all: Link) => SafeHtml
  readonly emptyPage: (first: Link) => SafeHtml
  readonly changed: (date: SafeHtml) => SafeHtml
  readonly unfollow: string
  readonly unfollowIssue: (summary: string) => string
  readonly unfollowed: string
}

export const ownIssuesTexts: Readonly<Record<Language, OwnIssuesTexts>> = {
  en: {
    reports: {
      description: 'The problems that you reported, and what became of them.',
      intro: 'Reports that are pending review or rejected are visible to you and the moderators only.',
      count: '{count, plural, one {# report} other {# reports}}',
      empty: 'You have not reported anything yet.',
      next: (report, map) => html`${report('Report a problem')}, or ${map('look at the map')} to see whether it is known already.`,
    },
    following: {
      description: 'The issues that you follow, those with the latest changes first.',
      intro: 'You get mails about these issues at your confirmed address. The ones that changed last come first.',
      count: '{count, plural, one {# issue} other {# issues}}',
      empty: 'You do not follow any issue yet.',
      next: (map, areas) =>
        html`Open an issue ${map('on the map')} and choose “Follow”, or ${areas('watch a whole area')} to hear about everything in it.`,
    },
    status: 'Status',
    all: 'All',
    held: 'Pending review',
    rejected: 'Rejected',
    anonymous: 'without your name',
    noneInState: (all) => html`None has this status. ${all('Show all')}`,
    emptyPage: (first) => html`This page of the list is empty. ${first('Go to the first page')}`,
    changed: (date) => html`changed ${date}`,
    unfollow: 'Unfollow',
    unfollowIssue: (summary) => `Unfollow: ${summary}`,
    unfollowed: 'You no longer follow this issue.',
  },
  es: {
    reports: {
      description: 'Los problemas que has reportado y qué ha sido de ellos.',
      intro: 'Los reportes pendientes de revisión o rechazados solo son visibles para ti y para los moderadores.',
      count: '{count, plural, one {# reporte} other {# reportes}}',
      empty: 'Todavía no has reportado nada.',
      next: (report, map) => html`${report('Reporta un problema')} o ${map('mira el mapa')} para saber si ya es conocido.`,
    },
    following: {
      description: 'Los reportes que sigues; primero, los que han cambiado más recientemente.',
      intro: 'Recibes correos sobre estos reportes en tu dirección confirmada. Primero aparecen los que cambiaron al final.',
      count: '{count, plural, one {# reporte} other {# reportes}}',
      empty: 'Todavía no sigues ningún reporte.',
      next: (map, areas) =>
        html`Abre un reporte ${map('en el mapa')} y elige «Seguir», o ${areas('vigila toda una zona')} para enterarte de todo lo que pasa en ella.`,
    },
    status: 'Estado',
    all: 'Todos',
    held: 'Pendiente de revisión',
    rejected: 'Rechazado',
    anonymous: 'sin tu nombre',
    noneInState: (all) => html`Ninguno tiene este estado. ${all('Mostrar todos')}`,
    emptyPage: (first) => html`Esta página de la lista está vacía. ${first('Ir a la primera página')}`,
    changed: (date) => html`último cambio: ${date}`,
    unfollow: 'Dejar de seguir',
    unfollowIssue: (summary) => `Dejar de seguir: ${summary}`,
    unfollowed: 'Ya no sigues este reporte.',
  },
  fr: {
    reports: {
      description: 'Les problèmes que vous avez signalés, et ce qu’ils sont devenus.',
      intro: 'Les signalements qui attendent une décision ou qui sont rejetés ne sont visibles que par vous et les modérateurs.',
      count: '{count, plural, one {# signalement} other {# signalements}}',
      empty: 'Vous n’avez encore rien signalé.',
      next: (report, map) =>
        html`${report('Signalez un problème')}, ou ${map('regardez la carte')} pour savoir s’il est déjà connu.`,
    },
    following: {
      description: 'Les signalements que vous suivez, en commençant par les derniers modifiés.',
      intro:
        'Vous recevez des courriels sur ces signalements à votre adresse confirmée. Les derniers modifiés viennent en premier.',
      count: '{count, plural, one {# signalement} other {# signalements}}',
      empty: 'Vous ne suivez encore aucun signalement.',
      next: (map, areas) =>
        html`Ouvrez un signalement ${map('sur la carte')} et choisissez « Suivre », ou ${areas('surveillez toute une zone')} pour savoir tout ce qui s’y passe.`,
    },
    status: 'Statut',
    all: 'Tous',
    held: 'En attente de décision',
    rejected: 'Rejeté',
    anonymous: 'sans votre nom',
    noneInState: (all) => html`Aucun n’a ce statut. ${all('Tout afficher')}`,
    emptyPage: (first) => html`Cette page de la liste est vide. ${first('Aller à la première page')}`,
    changed: (date) => html`dernière modification : ${date}`,
    unfollow: 'Ne plus suivre',
    unfollowIssue: (summary) => `Ne plus suivre : ${summary}`,
    unfollowed: 'Vous ne suivez plus ce signalement.',
  },
}
