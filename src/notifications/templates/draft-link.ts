import type { Language } from '../../errors/texts/languages.ts'
import type { MailText } from './layout.ts'

interface DraftLinkContent {
  readonly url: string
  readonly unsubscribeLink: string
}

/** The address may belong to a third party, so the mail contains no text of the draft. */
export const draftLink: Readonly<Record<Language, (content: DraftLinkContent) => MailText>> = {
  en: ({ url, unsubscribeLink }) => ({
    subject: 'Finish your report',
    intro: [
      'Someone, probably you, wrote a report at Fixpoint and asked for a link to finish it later. It is not published yet.',
      'Open the report, then log in or create an account to publish it.',
    ],
    button: 'Open the report',
    url,
    closing: [
      'The link works for seven days at most, until the report is published or discarded. Everyone who has the link can read the report, so do not forward this mail.',
      'If that was not you, ignore this mail. Nothing is published, and we do not keep your address.',
    ],
    unsubscribe: { text: 'No more links to saved reports to this address', url: unsubscribeLink },
  }),
  es: ({ url, unsubscribeLink }) => ({
    subject: 'Termina tu reporte',
    intro: [
      'Alguien, probablemente tú, escribió un reporte en Fixpoint y pidió un enlace para terminarlo más tarde. Todavía no está publicado.',
      'Abre el reporte y luego inicia sesión o crea una cuenta para publicarlo.',
    ],
    button: 'Abrir el reporte',
    url,
    closing: [
      'El enlace funciona siete días como máximo, hasta que el reporte se publique o se descarte. Quien tenga el enlace puede leer el reporte, así que no reenvíes este correo.',
      'Si no has sido tú, ignora este correo. No se publica nada y no conservamos tu dirección.',
    ],
    unsubscribe: { text: 'No más enlaces a reportes guardados a esta dirección', url: unsubscribeLink },
  }),
  fr: ({ url, unsubscribeLink }) => ({
    subject: 'Terminez votre signalement',
    intro: [
      'Quelqu’un, sans doute vous, a rédigé un signalement sur Fixpoint et demandé un lien pour le terminer plus tard. Il n’est pas encore publié.',
      'Ouvrez le signalement, puis connectez-vous ou créez un compte pour le publier.',
    ],
    button: 'Ouvrir le signalement',
    url,
    closing: [
      'Le lien fonctionne sept jours au plus, tant que le signalement n’est ni publié ni supprimé. Toute personne qui a le lien peut lire le signalement : ne transférez pas ce courriel.',
      'Si ce n’était pas vous, ignorez ce courriel. Rien n’est publié et nous ne conservons pas votre adresse.',
    ],
    unsubscribe: { text: 'Ne plus envoyer à cette adresse de liens vers des signalements enregistrés', url: unsubscribeLink },
  }),
}
