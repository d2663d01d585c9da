import type { Language } from '../../errors/texts/languages.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { TransitionName } from '../../issue-lifecycle/transitions.ts'

type Link = (text: string) => SafeHtml

/** Texts of votes, follows, assignments and the comment form. */
export interface IssueFormTexts {
  readonly takePart: string
  readonly voted: string
  readonly withdrawVote: string
  readonly notVoted: string
  readonly vote: string
  readonly following: string
  readonly followingHint: string
  readonly unfollow: string
  readonly notFollowing: string
  readonly follow: string
  readonly assignee: string
  readonly unassigned: string
  readonly yourself: (name: string) => string
  readonly assign: string
  /** `actions` is a list of the actions below. */
  readonly logIn: (logIn: Link, register: Link, actions: string) => SafeHtml
  readonly actions: Readonly<Record<'comment' | 'vote' | 'follow' | TransitionName, string>>
  readonly writeComment: string
  readonly comment: string
  readonly commentHint: string
  readonly picture: string
  readonly video: string
  readonly submit: string
  readonly submitWith: Readonly<Record<TransitionName, string>>
  /** The name of `close` for residents who did not report the issue. */
  readonly sayFixed: string
  readonly sayFixedHint: string
  readonly archivedHint: string
  readonly statusChanged: string
  readonly statusChangedHint: string
}

export const issueFormTexts: Readonly<Record<Language, IssueFormTexts>> = {
  en: {
    takePart: 'Take part',
    voted: 'You voted for it.',
    withdrawVote: 'Remove your vote',
    notVoted: 'Does it concern you, too?',
    vote: 'Vote for it',
    following: 'You follow it.',
    followingHint: 'You get mails about it at your confirmed address.',
    unfollow: 'Unfollow',
    notFollowing: 'Do you want mails about it?',
    follow: 'Follow',
    assignee: 'Assignee',
    unassigned: 'Unassigned',
    yourself: (name) => `${name} (you)`,
    assign: 'Assign',
    logIn: (logIn, register, actions) => html`${logIn('Log in')} or ${register('register')} to ${actions}.`,
    actions: {
      comment: 'comment',
      vote: 'vote for it',
      follow: 'follow it',
      open: 'open it again',
      close: 'say that it is fixed',
      acknowledge: 'acknowledge it',
    },
    writeComment: 'Write a comment',
    comment: 'Your comment',
    commentHint: 'Your comment and your name are public.',
    picture: 'Picture',
    video: 'Link to a video on YouTube',
    submit: 'Comment',
    submitWith: { open: 'Comment and reopen', close: 'Comment and close', acknowledge: 'Comment and acknowledge' },
    sayFixed: 'Say it is fixed',
    sayFixedHint: 'Is the problem gone? Write what you saw, and the issue is closed.',
    archivedHint: 'It is archived: its status stays as it is, but you can still comment.',
    statusChanged: 'The status of the issue has changed in the meantime.',
    statusChangedHint: 'Your text is still here: send it as a comment, or with one of the actions below.',
  },
  es: {
    takePart: 'Participa',
    voted: 'Has votado por este reporte.',
    withdrawVote: 'Quitar tu voto',
    notVoted: '¿También te afecta?',
    vote: 'Votar',
    following: 'Sigues este reporte.',
    followingHint: 'Recibes correos sobre él en tu dirección confirmada.',
    unfollow: 'Dejar de seguir',
    notFollowing: '¿Quieres recibir correos sobre él?',
    follow: 'Seguir',
    assignee: 'Asignado a',
    unassigned: 'Sin asignar',
    yourself: (name) => `${name} (tú)`,
    assign: 'Asignar',
    logIn: (logIn, register, actions) => html`${logIn('Inicia sesión')} o ${register('regístrate')} para ${actions}.`,
    actions: {
      comment: 'comentar',
      vote: 'votar',
      follow: 'seguirlo',
      open: 'reabrirlo',
      close: 'decir que está arreglado',
      acknowledge: 'reconocerlo',
    },
    writeComment: 'Escribe un comentario',
    comment: 'Tu comentario',
    commentHint: 'Tu comentario y tu nombre son públicos.',
    picture: 'Imagen',
    video: 'Enlace a un vídeo de YouTube',
    submit: 'Comentar',
    submitWith: { open: 'Comentar y reabrir', close: 'Comentar y cerrar', acknowledge: 'Comentar y reconocer' },
    sayFixed: 'Decir que está arreglado',
    sayFixedHint: '¿Ya no existe el problema? Escribe lo que viste y el reporte se cerrará.',
    archivedHint: 'Está archivado: su estado ya no cambia, pero todavía puedes comentar.',
    statusChanged: 'El estado del reporte ha cambiado mientras tanto.',
    statusChangedHint: 'Tu texto sigue aquí: envíalo como comentario o con una de las acciones de abajo.',
  },
  fr: {
    takePart: 'Participez',
    voted: 'Vous avez voté pour ce signalement.',
    withdrawVote: 'Retirer votre vote',
    notVoted: 'Cela vous concerne aussi ?',
    vote: 'Voter',
    following: 'Vous suivez ce signalement.',
    followingHint: 'Vous recevez des courriels à son sujet à votre adresse confirmée.',
    unfollow: 'Ne plus suivre',
    notFollowing: 'Voulez-vous recevoir des courriels à son sujet ?',
    follow: 'Suivre',
    assignee: 'Attribué à',
    unassigned: 'Non attribué',
    yourself: (name) => `${name} (vous)`,
    assign: 'Attribuer',
    logIn: (logIn, register, actions) => html`${logIn('Connectez-vous')} ou ${register('inscrivez-vous')} pour ${actions}.`,
    actions: {
      comment: 'commenter',
      vote: 'voter',
      follow: 'le suivre',
      open: 'le rouvrir',
      close: 'dire que c’est réparé',
      acknowledge: 'le prendre en compte',
    },
    writeComment: 'Écrivez un commentaire',
    comment: 'Votre commentaire',
    commentHint: 'Votre commentaire et votre nom sont publics.',
    picture: 'Image',
    video: 'Lien vers une vidéo YouTube',
    submit: 'Commenter',
    submitWith: { open: 'Commenter et rouvrir', close: 'Commenter et clore', acknowledge: 'Commenter et prendre en compte' },
    sayFixed: 'Dire que c’est réparé',
    sayFixedHint: 'Le problème n’existe plus ? Écrivez ce que vous avez vu : le signalement sera clos.',
    archivedHint: 'Il est archivé : son état ne change plus, mais vous pouvez encore commenter.',
    statusChanged: 'L’état du signalement a changé entre-temps.',
    statusChangedHint: 'Votre texte est toujours là : envoyez-le comme commentaire, ou avec l’une des actions ci-dessous.',
  },
}
