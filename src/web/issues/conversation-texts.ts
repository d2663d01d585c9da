import type { Language } from '../../errors/texts/languages.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { Status } from '../../issue-lifecycle/status.ts'
import type { TransitionName } from '../../issue-lifecycle/transitions.ts'

type Link = (text: string) => SafeHtml

/** Texts of the comments of an issue. */
export interface ConversationTexts {
  /** An ICU message. */
  readonly comments: string
  readonly newestOnly: (all: Link) => SafeHtml
  readonly noComments: string
  readonly writeFirst: (write: Link) => SafeHtml
  readonly pictureBy: (name: string) => string
  readonly flag: string
  readonly flagCommentOf: (name: string) => string
  readonly unknownUser: string
  readonly aModerator: string
  readonly redacted: (moderator: SafeHtml) => SafeHtml
  /** The change to a status, after the name of the user. */
  readonly changes: Readonly<Record<Status, string>>
  /** An ICU message. */
  readonly stayedClosed: string
  readonly rejected: string
  readonly pending: string
  readonly visibleToYou: string
  readonly visibleToAuthor: string
  readonly visibleToYouUntilThen: string
  readonly visibleToAuthorUntilThen: string
  readonly whenApproved: Readonly<Record<TransitionName, string>>
}

export const conversationTexts: Readonly<Record<Language, ConversationTexts>> = {
  en: {
    comments: '{count, plural, one {# comment} other {# comments}}',
    newestOnly: (all) => html`These are the newest; ${all('all of them as JSON')}.`,
    noComments: 'There are no comments yet.',
    writeFirst: (write) => html`${write('Write')} whether it is still there, or what became of it.`,
    pictureBy: (name) => `Picture that ${name} added`,
    flag: 'Flag',
    flagCommentOf: (name) => `Flag this comment of ${name}`,
    unknownUser: 'A user',
    aModerator: 'A moderator',
    redacted: (moderator) => html`${moderator} redacted a picture`,
    changes: {
      Open: 'opened this again',
      Acknowledged: 'acknowledged this',
      Closed: 'closed this',
      Archived: 'archived this',
    },
    stayedClosed: 'It stayed closed for {days, plural, one {# day} other {# days}}.',
    rejected: 'A moderator decided not to publish this:',
    pending: 'A moderator reviews this first.',
    visibleToYou: 'only you and the moderators see it.',
    visibleToAuthor: 'only its author and the moderators see it.',
    visibleToYouUntilThen: 'Until then only you and the moderators see it.',
    visibleToAuthorUntilThen: 'Until then only its author and the moderators see it.',
    whenApproved: {
      open: 'When it is approved, the issue is opened again as well.',
      close: 'When it is approved, the issue is closed as well.',
      acknowledge: 'When it is approved, the issue is acknowledged as well.',
    },
  },
  es: {
    comments: '{count, plural, one {# comentario} other {# comentarios}}',
    newestOnly: (all) => html`Estos son los más recientes; ${all('todos están en JSON')}.`,
    noComments: 'Todavía no hay comentarios.',
    writeFirst: (write) => html`${write('Cuenta')} si el problema sigue ahí o qué ha sido de él.`,
    pictureBy: (name) => `Imagen que ha añadido ${name}`,
    flag: 'Denunciar',
    flagCommentOf: (name) => `Denunciar este comentario escrito por ${name}`,
    unknownUser: 'Un usuario',
    aModerator: 'Un moderador',
    redacted: (moderator) => html`${moderator} tapó partes de una imagen`,
    changes: {
      Open: 'ha reabierto este reporte',
      Acknowledged: 'ha reconocido este reporte',
      Closed: 'ha cerrado este reporte',
      Archived: 'ha archivado este reporte',
    },
    stayedClosed: 'Ha estado cerrado {days, plural, one {# día} other {# días}}.',
    rejected: 'Un moderador ha decidido no publicar esto:',
    pending: 'Un moderador lo revisará antes de publicarlo.',
    visibleToYou: 'solo es visible para ti y para los moderadores.',
    visibleToAuthor: 'solo es visible para su autor y para los moderadores.',
    visibleToYouUntilThen: 'Hasta entonces, solo es visible para ti y para los moderadores.',
    visibleToAuthorUntilThen: 'Hasta entonces, solo es visible para su autor y para los moderadores.',
    whenApproved: {
      open: 'Cuando se apruebe, también se reabrirá el reporte.',
      close: 'Cuando se apruebe, también se cerrará el reporte.',
      acknowledge: 'Cuando se apruebe, también se reconocerá el reporte.',
    },
  },
  fr: {
    comments: '{count, plural, one {# commentaire} other {# commentaires}}',
    newestOnly: (all) => html`Ce sont les plus récents ; ${all('les voici tous en JSON')}.`,
    noComments: 'Il n’y a pas encore de commentaires.',
    writeFirst: (write) => html`${write('Dites')} si le problème est toujours là, ou ce qu’il est devenu.`,
    pictureBy: (name) => `Image ajoutée par ${name}`,
    flag: 'Dénoncer',
    flagCommentOf: (name) => `Dénoncer ce commentaire écrit par ${name}`,
    unknownUser: 'Un utilisateur',
    aModerator: 'Un modérateur',
    redacted: (moderator) => html`${moderator} a masqué des parties d’une image`,
    changes: {
      Open: 'a rouvert ce signalement',
      Acknowledged: 'a pris en compte ce signalement',
      Closed: 'a clos ce signalement',
      Archived: 'a archivé ce signalement',
    },
    stayedClosed: 'Il est resté clos pendant {days, plural, one {# jour} other {# jours}}.',
    rejected: 'Un modérateur a décidé de ne pas publier ce commentaire :',
    pending: 'Un modérateur examine ce commentaire avant sa publication.',
    visibleToYou: 'il n’est visible que par vous et les modérateurs.',
    visibleToAuthor: 'il n’est visible que par son auteur et les modérateurs.',
    visibleToYouUntilThen: 'D’ici là, il n’est visible que par vous et les modérateurs.',
    visibleToAuthorUntilThen: 'D’ici là, il n’est visible que par son auteur et les modérateurs.',
    whenApproved: {
      open: 'Une fois ce commentaire approuvé, le signalement sera aussi rouvert.',
      close: 'Une fois ce commentaire approuvé, le signalement sera aussi clos.',
      acknowledge: 'Une fois ce commentaire approuvé, le signalement sera aussi pris en compte.',
    },
  },
}
