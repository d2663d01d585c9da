import type { NotificationWords } from './notification-words.ts'

export const fr: NotificationWords = {
  anonymous: 'Un utilisateur anonyme',
  statuses: { Open: 'ouvert', Acknowledged: 'pris en charge', Closed: 'clos', Archived: 'archivé' },
  status: (status) => `État : ${status}`,
  headings: {
    'comment.added': (who) => `${who} a écrit un commentaire`,
    'issue.acknowledged': (who) => `${who} a pris en charge ce signalement`,
    'issue.closed': (who) => `${who} a clos ce signalement`,
    'issue.opened': (who) => `${who} a rouvert ce signalement`,
    'issue.assigned': () => 'Ce signalement vous est attribué',
    'issue.rejected': () => 'Votre signalement n’a pas été publié',
    'comment.rejected': () => 'Votre commentaire n’a pas été publié',
    'comment.move_refused': () => 'Votre commentaire a été publié, l’état reste le même',
  },
  subjects: {
    'issue.assigned': (summary) => `Vous est attribué : ${summary}`,
    'issue.rejected': (summary) => `Non publié : ${summary}`,
    'comment.rejected': (summary) => `Votre commentaire n’a pas été publié : ${summary}`,
    'comment.move_refused': (summary) => `Votre commentaire a été publié : ${summary}`,
  },
  explanations: {
    'issue.rejected': [
      'Un modérateur a examiné votre signalement et décidé qu’il ne serait pas publié. Vous le voyez toujours sur sa page.',
    ],
    'comment.rejected': ['Un modérateur a examiné votre commentaire et décidé qu’il ne serait pas publié.'],
    'comment.move_refused': [
      'Vous vouliez changer avec lui l’état du signalement. Quand un modérateur a examiné votre commentaire, le signalement avait avancé entre-temps et ce changement n’était plus possible.',
    ],
  },
  reason: (text) => `Le modérateur dit : ${text}`,
  pictureHint: 'Une image l’accompagne.',
  picture: 'Voir l’image',
  shortenedHint: 'Le texte continue ; il se trouve en entier sur la page du signalement.',
  button: 'Voir le signalement',
  mailReasons: {
    follower: 'Vous recevez ce courriel parce que vous suivez le signalement.',
    assignee: 'Vous recevez ce courriel parce que le signalement vous est attribué.',
    author: 'Vous recevez ce courriel parce que vous l’avez écrit.',
  },
  unsubscribe: 'Ne plus recevoir de courriels sur ce signalement, ou plus aucun',
}
