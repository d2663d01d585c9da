import type { Language } from '../../../errors/texts/languages.ts'

/** Texts about a link by mail and about drafts that cannot be published as they are. */
export interface DraftMailTexts {
  readonly finishLater: string
  readonly email: string
  readonly emailHint: string
  readonly send: string
  readonly requested: string
  readonly linkEnded: string
  readonly linkEndedDescription: string
  readonly linkEndedHint: string
  readonly newReport: string
  readonly choosePlace: string
  readonly otherPlace: string
}

export const draftMailTexts: Readonly<Record<Language, DraftMailTexts>> = {
  en: {
    finishLater: 'Finish later',
    email: 'Your e-mail address',
    emailHint: 'The mail has a link to this page and nothing of what you wrote. We delete the address once the mail is sent.',
    send: 'Send me a link to finish later',
    requested:
      'A mail with a link is on its way, unless too many links were sent to this address today or its owner wants none. Look into the spam folder, too.',
    linkEnded: 'This link no longer works',
    linkEndedDescription: 'The link of a mail to a report that was not published yet.',
    linkEndedHint:
      'The report was published, discarded or deleted after seven days, or it waits in an account. Log in to look there.',
    newReport: 'Report a problem',
    choosePlace: 'Choose the place of the report',
    otherPlace: 'Choose another place',
  },
  es: {
    finishLater: 'Terminar más tarde',
    email: 'Tu dirección de correo',
    emailHint:
      'El correo tiene un enlace a esta página y nada de lo que escribiste. Borramos la dirección cuando el correo se ha enviado.',
    send: 'Enviarme un enlace para terminar más tarde',
    requested:
      'Un correo con un enlace está en camino, salvo que hoy se hayan enviado demasiados enlaces a esta dirección o que su dueño no quiera recibirlos. Mira también en la carpeta de spam.',
    linkEnded: 'Este enlace ya no funciona',
    linkEndedDescription: 'El enlace de un correo a un reporte que todavía no estaba publicado.',
    linkEndedHint:
      'El reporte se publicó, se descartó o se borró después de siete días, o espera en una cuenta. Inicia sesión para buscarlo allí.',
    newReport: 'Reportar un problema',
    choosePlace: 'Elegir el lugar del reporte',
    otherPlace: 'Elegir otro lugar',
  },
  fr: {
    finishLater: 'Terminer plus tard',
    email: 'Votre adresse e-mail',
    emailHint:
      'Le courriel contient un lien vers cette page et rien de ce que vous avez écrit. Nous supprimons l’adresse une fois le courriel envoyé.',
    send: 'M’envoyer un lien pour terminer plus tard',
    requested:
      'Un courriel avec un lien est en route, sauf si trop de liens ont été envoyés aujourd’hui à cette adresse ou si son propriétaire n’en veut pas. Regardez aussi dans les indésirables.',
    linkEnded: 'Ce lien ne fonctionne plus',
    linkEndedDescription: 'Le lien d’un courriel vers un signalement qui n’était pas encore publié.',
    linkEndedHint:
      'Le signalement a été publié, supprimé par vous ou effacé après sept jours, ou il attend dans un compte. Connectez-vous pour l’y chercher.',
    newReport: 'Signaler un problème',
    choosePlace: 'Choisir le lieu du signalement',
    otherPlace: 'Choisir un autre lieu',
  },
}
