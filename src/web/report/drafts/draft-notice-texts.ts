import type { Language } from '../../../errors/texts/languages.ts'

/** Texts about a draft on other pages than its own. */
export interface DraftNoticeTexts {
  readonly notPublished: string
  readonly open: string
  /** Visitors without an account read it where they start or write another report. */
  readonly replacement: string
  /** The form of another report comes back, because it did not say that it replaces a draft. */
  readonly notSent: string
  readonly publishedOnLogin: string
  readonly publishedOnConfirmation: string
  /** A checkbox of the page that confirms an address. */
  readonly publish: string
  readonly publishHint: string
  readonly published: string
  readonly pendingReview: string
  readonly seeReport: string
}

export const draftNoticeTexts: Readonly<Record<Language, DraftNoticeTexts>> = {
  en: {
    notPublished: 'You have a report that is not published yet.',
    open: 'Look at it and publish it',
    replacement: 'If you send another one, the saved one is deleted, unless a link to it was mailed to you.',
    notSent:
      'This report is not sent yet, because you saved another one in the meantime. Send it again if it may replace the saved one.',
    publishedOnLogin: 'Your report is published as soon as you have logged in.',
    publishedOnConfirmation:
      'Your report is not published yet. It is published as soon as you confirm your address by the link in the mail. You can also publish it now.',
    publish: 'Publish the report that waits in this account',
    publishHint: 'You sent it before you logged in. If you do not publish it now, it waits in the account.',
    published: 'Your report is published.',
    pendingReview: 'Your report is saved. Moderators look at it before it is public.',
    seeReport: 'Look at your report',
  },
  es: {
    notPublished: 'Tienes un reporte que todavía no está publicado.',
    open: 'Verlo y publicarlo',
    replacement: 'Si envías otro, el guardado se elimina, salvo que te hayamos enviado un enlace por correo.',
    notSent:
      'Este reporte todavía no se ha enviado, porque entretanto guardaste otro. Envíalo de nuevo si puede sustituir al guardado.',
    publishedOnLogin: 'Tu reporte se publica en cuanto inicies sesión.',
    publishedOnConfirmation:
      'Tu reporte todavía no está publicado. Se publica en cuanto confirmes tu dirección con el enlace del correo. También puedes publicarlo ahora.',
    publish: 'Publicar el reporte que espera en esta cuenta',
    publishHint: 'Lo enviaste antes de iniciar sesión. Si no lo publicas ahora, espera en la cuenta.',
    published: 'Tu reporte está publicado.',
    pendingReview: 'Tu reporte está guardado. Los moderadores lo revisan antes de que sea público.',
    seeReport: 'Ver tu reporte',
  },
  fr: {
    notPublished: 'Vous avez un signalement qui n’est pas encore publié.',
    open: 'Le relire et le publier',
    replacement:
      'Si vous en envoyez un autre, celui qui est enregistré est supprimé, sauf si un lien vous a été envoyé par courriel.',
    notSent:
      'Ce signalement n’est pas encore envoyé, car vous en avez enregistré un autre entre-temps. Envoyez-le de nouveau s’il peut remplacer celui qui est enregistré.',
    publishedOnLogin: 'Votre signalement est publié dès que vous êtes connecté.',
    publishedOnConfirmation:
      'Votre signalement n’est pas encore publié. Il l’est dès que vous confirmez votre adresse par le lien du courriel. Vous pouvez aussi le publier maintenant.',
    publish: 'Publier le signalement qui attend dans ce compte',
    publishHint: 'Vous l’avez envoyé avant de vous connecter. Si vous ne le publiez pas maintenant, il attend dans le compte.',
    published: 'Votre signalement est publié.',
    pendingReview: 'Votre signalement est enregistré. Les modérateurs le relisent avant sa publication.',
    seeReport: 'Voir votre signalement',
  },
}
