import type { Language } from '../../errors/texts/languages.ts'
import type { Status } from '../../issue-lifecycle/status.ts'

/** Texts of the page of an issue except for its conversation and its forms. */
export interface IssueTexts {
  readonly rejectedTitle: (title: string) => string
  readonly places: string
  readonly picture: (summary: string) => string
  readonly pictureOf: (position: number, count: number, summary: string) => string
  readonly watchVideo: string
  /** Steps of the history by the status that an issue has after them; `reopened` is Open once more. */
  readonly steps: Readonly<Record<Exclude<Status, 'Archived'> | 'reopened', string>>
  readonly reporter: string
  readonly type: string
  readonly organization: string
  readonly assignee: string
  readonly votes: string
  readonly place: string
  readonly position: string
  readonly changed: string
  readonly answers: string
  /** ICU messages. */
  readonly map: string
  readonly mapOfNewest: string
  readonly mapHint: (near: string, far: string) => string
  readonly watchArea: string
  readonly json: string
  readonly flag: string
  readonly shortLink: string
  readonly thanks: string
  readonly isYours: string
  readonly isPublic: string
  /** An account without a confirmed e-mail address gets no mails. */
  readonly isPublicUnconfirmed: string
  readonly withoutName: string
  readonly pending: string
  readonly rejected: string
  readonly visibleToReporter: string
  readonly decide: string
  readonly thankYou: string
  readonly yoursPending: string
  readonly visibleToYouUntilThen: string
  readonly yoursRejected: string
  readonly visibleToYou: string
  readonly reason: (text: string) => string
}

export const issueTexts: Readonly<Record<Language, IssueTexts>> = {
  en: {
    rejectedTitle: (title) => `Error: ${title}`,
    places: 'Places',
    picture: (summary) => `Picture of: ${summary}`,
    pictureOf: (position, count, summary) => `Picture ${position} of ${count} of: ${summary}`,
    watchVideo: 'Watch the video',
    steps: { Open: 'Reported', Acknowledged: 'Acknowledged', Closed: 'Closed', reopened: 'Reopened' },
    reporter: 'Reported by',
    type: 'Type',
    organization: 'Looked after by',
    assignee: 'Assigned to',
    votes: 'Votes',
    place: 'Place',
    position: 'Position',
    changed: 'Last change',
    answers: 'Answers',
    map: 'Map of the neighbourhood with this issue at the centre and {count, plural, one {# other issue} other {# other issues}} around it',
    mapOfNewest:
      'Map of the neighbourhood with this issue at the centre and the newest {count, plural, one {# other issue} other {# other issues}} around it',
    mapHint: (near, far) => `The rings have radii of ${near} and ${far}; the dots are other current issues.`,
    watchArea: 'Watch this area',
    json: 'This issue as JSON',
    flag: 'Flag it',
    shortLink: 'Short link:',
    thanks: 'Thank you for your report.',
    isYours: 'This is your report.',
    isPublic: 'It is public now, and you follow it: you get mails about it.',
    isPublicUnconfirmed: 'It is public now, and you follow it: you get mails about it when your e-mail address is confirmed.',
    withoutName: 'Others see it without your name.',
    pending: 'This report is pending review.',
    rejected: 'A moderator rejected this report.',
    visibleToReporter: 'Only the reporter and moderators see this page.',
    decide: 'Decide on it',
    thankYou: 'Thank you.',
    yoursPending: 'A moderator reviews your report before it is public.',
    visibleToYouUntilThen: 'Until then only you and the moderators see this page.',
    yoursRejected: 'A moderator decided not to publish your report.',
    visibleToYou: 'Only you and the moderators see this page.',
    reason: (text) => `They wrote: ${text}`,
  },
  es: {
    rejectedTitle: (title) => `Error: ${title}`,
    places: 'Lugares',
    picture: (summary) => `Imagen de: ${summary}`,
    pictureOf: (position, count, summary) => `Imagen ${position} de ${count} de: ${summary}`,
    watchVideo: 'Ver el vídeo',
    steps: { Open: 'Reportado', Acknowledged: 'Reconocido', Closed: 'Cerrado', reopened: 'Reabierto' },
    reporter: 'Reportado por',
    type: 'Tipo',
    organization: 'A cargo de',
    assignee: 'Asignado a',
    votes: 'Votos',
    place: 'Lugar',
    position: 'Posición',
    changed: 'Último cambio',
    answers: 'Respuestas',
    map: 'Mapa de los alrededores con este reporte en el centro y {count, plural, =0 {ningún otro} one {otro más} other {otros #}} cerca',
    mapOfNewest:
      'Mapa de los alrededores con este reporte en el centro y {count, plural, one {el otro más reciente} other {los otros # más recientes}} cerca',
    mapHint: (near, far) => `Los círculos tienen radios de ${near} y de ${far}; los puntos son otros reportes actuales.`,
    watchArea: 'Vigilar esta zona',
    json: 'Este reporte como JSON',
    flag: 'Denunciar',
    shortLink: 'Enlace corto:',
    thanks: 'Gracias por tu reporte.',
    isYours: 'Este es tu reporte.',
    isPublic: 'Ya es público y lo sigues: recibirás correos sobre él.',
    isPublicUnconfirmed: 'Ya es público y lo sigues: recibirás correos sobre él cuando tu dirección de correo esté confirmada.',
    withoutName: 'Los demás lo ven sin tu nombre.',
    pending: 'Este reporte está pendiente de revisión.',
    rejected: 'Un moderador ha rechazado este reporte.',
    visibleToReporter: 'Solo quien lo envió y los moderadores ven esta página.',
    decide: 'Tomar una decisión',
    thankYou: 'Gracias.',
    yoursPending: 'Un moderador revisará tu reporte antes de que sea público.',
    visibleToYouUntilThen: 'Hasta entonces, esta página solo es visible para ti y para los moderadores.',
    yoursRejected: 'Un moderador ha decidido no publicar tu reporte.',
    visibleToYou: 'Esta página solo es visible para ti y para los moderadores.',
    reason: (text) => `El moderador dice: ${text}`,
  },
  fr: {
    rejectedTitle: (title) => `Erreur : ${title}`,
    places: 'Lieux',
    picture: (summary) => `Image de : ${summary}`,
    pictureOf: (position, count, summary) => `Image ${position} sur ${count} de : ${summary}`,
    watchVideo: 'Voir la vidéo',
    steps: { Open: 'Signalé', Acknowledged: 'Pris en compte', Closed: 'Clos', reopened: 'Rouvert' },
    reporter: 'Signalé par',
    type: 'Type',
    organization: 'Suivi par',
    assignee: 'Attribué à',
    votes: 'Votes',
    place: 'Lieu',
    position: 'Position',
    changed: 'Dernière modification',
    answers: 'Réponses',
    map: 'Carte des environs avec ce signalement au centre et {count, plural, =0 {aucun autre} one {un autre} other {# autres}} autour',
    mapOfNewest:
      'Carte des environs avec ce signalement au centre et {count, plural, one {l’autre le plus récent} other {les # autres les plus récents}} autour',
    mapHint: (near, far) => `Les cercles ont des rayons de ${near} et de ${far} ; les points sont d’autres signalements actuels.`,
    watchArea: 'Surveiller cette zone',
    json: 'Ce signalement en JSON',
    flag: 'Le dénoncer',
    shortLink: 'Lien court :',
    thanks: 'Merci pour votre signalement.',
    isYours: 'C’est votre signalement.',
    isPublic: 'Il est maintenant public et vous le suivez : vous recevrez des courriels à son sujet.',
    isPublicUnconfirmed:
      'Il est maintenant public et vous le suivez : vous recevrez des courriels à son sujet dès que votre adresse sera confirmée.',
    withoutName: 'Les autres le voient sans votre nom.',
    pending: 'Ce signalement attend l’avis d’un modérateur.',
    rejected: 'Un modérateur a rejeté ce signalement.',
    visibleToReporter: 'Cette page n’est visible que par son auteur et les modérateurs.',
    decide: 'Prendre une décision',
    thankYou: 'Merci.',
    yoursPending: 'Un modérateur examine votre signalement avant sa publication.',
    visibleToYouUntilThen: 'D’ici là, cette page n’est visible que par vous et les modérateurs.',
    yoursRejected: 'Un modérateur a décidé de ne pas publier votre signalement.',
    visibleToYou: 'Cette page n’est visible que par vous et les modérateurs.',
    reason: (text) => `Le modérateur dit : ${text}`,
  },
}
