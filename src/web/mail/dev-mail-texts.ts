import { html, type SafeHtml } from '../../html/template.ts'
import type { Language } from '../../errors/texts/languages.ts'

export interface DevMailTexts {
  readonly title: string
  readonly description: string
  readonly explanation: (variable: SafeHtml) => SafeHtml
  readonly empty: string
  readonly noSubject: string
  readonly mailDescription: string
  readonly to: (addresses: string) => string
  readonly from: (address: string) => string
  readonly asText: string
  readonly asHtml: string
  readonly frame: string
}

export const devMailTexts: Readonly<Record<Language, DevMailTexts>> = {
  en: {
    title: 'Mails',
    description: 'Mails that were stored because no mail server is set.',
    explanation: (variable) =>
      html`No mail server is set (${variable}), so mails are stored here and shown only on this machine. Newest first.`,
    empty: 'There are no mails yet. Register, or add an e-mail address to an account, and the mail appears here.',
    noSubject: 'No subject',
    mailDescription: 'A mail that was stored because no mail server is set.',
    to: (addresses) => `To ${addresses}`,
    from: (address) => `from ${address}`,
    asText: 'As text',
    asHtml: 'As HTML',
    frame: 'The mail as HTML',
  },
  es: {
    title: 'Correos',
    description: 'Correos guardados porque no hay ningún servidor de correo configurado.',
    explanation: (variable) =>
      html`No hay ningún servidor de correo configurado (${variable}), así que los correos se guardan aquí y solo se muestran en este equipo. Primero los más recientes.`,
    empty: 'Todavía no hay correos. Regístrate, o añade una dirección de correo a una cuenta, y el correo aparecerá aquí.',
    noSubject: 'Sin asunto',
    mailDescription: 'Un correo guardado porque no hay ningún servidor de correo configurado.',
    to: (addresses) => `Para ${addresses}`,
    from: (address) => `de ${address}`,
    asText: 'Como texto',
    asHtml: 'Como HTML',
    frame: 'El correo como HTML',
  },
  fr: {
    title: 'Courriels',
    description: 'Des courriels conservés parce qu’aucun serveur de messagerie n’est configuré.',
    explanation: (variable) =>
      html`Aucun serveur de messagerie n’est configuré (${variable}) : les courriels sont conservés ici et ne s’affichent que sur cette machine. Les plus récents d’abord.`,
    empty:
      'Il n’y a pas encore de courriels. Inscrivez-vous, ou ajoutez une adresse e-mail à un compte : le courriel apparaîtra ici.',
    noSubject: 'Sans objet',
    mailDescription: 'Un courriel conservé parce qu’aucun serveur de messagerie n’est configuré.',
    to: (addresses) => `À ${addresses}`,
    from: (address) => `de ${address}`,
    asText: 'En texte',
    asHtml: 'En HTML',
    frame: 'Le courriel en HTML',
  },
}
