import type { Language } from '../../errors/texts/languages.ts'

/** Texts that the script of the form shows. */
interface UploadTexts {
  /** The script replaces `{percent}`. */
  readonly sending: string
  readonly notSent: string
  /** Pictures were chosen, but the questions of the type ask for none. */
  readonly notAsked: string
}

export const uploadTexts: Readonly<Record<Language, UploadTexts>> = {
  en: {
    sending: 'Sending … {percent} %',
    notSent: 'The report could not be sent. Check your connection, then send it again; nothing is lost.',
    notAsked: 'This kind of report takes no pictures: yours are not sent. Describe in words what they show.',
  },
  es: {
    sending: 'Enviando… {percent} %',
    notSent: 'No se pudo enviar el reporte. Revisa tu conexión y envíalo otra vez; no se pierde nada.',
    notAsked: 'Este tipo de reporte no admite imágenes: las tuyas no se envían. Describe con palabras lo que muestran.',
  },
  fr: {
    sending: 'Envoi… {percent} %',
    notSent: 'Le signalement n’a pas pu être envoyé. Vérifiez votre connexion, puis renvoyez-le ; rien n’est perdu.',
    notAsked: 'Ce type de signalement n’accepte pas d’images : les vôtres ne sont pas envoyées. Décrivez ce qu’elles montrent.',
  },
}

/** Texts about what a resident typed and the browser stores. */
interface DeviceDraftTexts {
  /** Says before the first key is pressed what the browser stores. */
  readonly kept: string
  readonly restored: string
  readonly waiting: string
  readonly discarded: string
  readonly proceed: string
  readonly discard: string
}

export const deviceDraftTexts: Readonly<Record<Language, DeviceDraftTexts>> = {
  en: {
    kept: 'What you write and your pictures are kept in this browser for up to 24 hours, until you send them.',
    restored: 'What you wrote here before is back. It is kept in this browser for up to 24 hours, until it is sent.',
    waiting: 'You started a report in this browser and did not send it.',
    discarded: 'What you wrote was deleted from this browser.',
    proceed: 'Continue that report',
    discard: 'Discard',
  },
  es: {
    kept: 'Lo que escribes y tus fotos se conservan en este navegador durante 24 horas como máximo, hasta que los envíes.',
    restored:
      'Lo que escribiste aquí antes está de vuelta. Se conserva en este navegador durante 24 horas como máximo, hasta que lo envíes.',
    waiting: 'Empezaste un reporte en este navegador y no lo enviaste.',
    discarded: 'Lo que escribiste se borró de este navegador.',
    proceed: 'Continuar ese reporte',
    discard: 'Descartar',
  },
  fr: {
    kept: 'Ce que vous écrivez et vos photos sont conservés dans ce navigateur pendant 24 heures au plus, jusqu’à l’envoi.',
    restored: 'Ce que vous aviez écrit ici est revenu. Ce navigateur le conserve pendant 24 heures au plus, jusqu’à l’envoi.',
    waiting: 'Vous avez commencé un signalement dans ce navigateur sans l’envoyer.',
    discarded: 'Ce que vous aviez écrit a été effacé de ce navigateur.',
    proceed: 'Continuer ce signalement',
    discard: 'Supprimer',
  },
}
