import type { NotificationWords } from './notification-words.ts'

export const fr: NotificationWords = {
  anonymous: 'Un utilisateur anonyme',
  statuses: { Open: 'ouvert', Acknowledged: 'pris en compte', Closed: 'clos', Archived: 'archivé' },
  status: (status) => `État : ${status}`,
  headings: {
    'comment.added': (who) => `${who} a écrit un commentaire`,
    'issue.acknowledged': (who) => `${who} a pris en compte ce signalement`,
    'issue.closed': (who) => `${who} a clos ce signalement`,
    'issue.reopened': (who) => `${who} a rouvert ce signalement`,
    'issue.assigned': () => 'Ce signalement vous est attribué',
    'issue.rejected': () => 'Votre signalement n’a pas été publié',
    'comment.rejected': () => 'Votre commentaire n’a pas été publié',
    'comment.transition_refused': () => 'Votre commentaire a été publié ; l’état n’a pas changé',
  },
  subjects: {
    'comment.added': (summary, who) =>
      who === undefined ? `Nouveau commentaire : ${summary}` : `Nouveau commentaire de ${who} : ${summary}`,
    'issue.acknowledged': (summary) => `Pris en compte : ${summary}`,
    'issue.closed': (summary) => `Clos : ${summary}`,
    'issue.reopened': (summary) => `Rouvert : ${summary}`,
    'issue.assigned': (summary) => `Signalement attribué : ${summary}`,
    'issue.rejected': (summary) => `Votre signalement n’a pas été publié : ${summary}`,
    'comment.rejected': (summary) => `Votre commentaire n’a pas été publié : ${summary}`,
    'comment.transition_refused': (summary) => `Commentaire publié, état inchangé : ${summary}`,
  },
  explanations: {
    'issue.rejected': [
      'Un modérateur a examiné votre signalement et a décidé de ne pas le publier. Vous pouvez toujours le voir sur sa page.',
    ],
    'comment.rejected': ['Un modérateur a examiné votre commentaire et a décidé de ne pas le publier.'],
    'comment.transition_refused': [
      'Votre commentaire devait aussi changer l’état du signalement. Quand un modérateur l’a approuvé, ce changement n’était plus possible.',
    ],
  },
  reason: (text) => `Le modérateur dit : ${text}`,
  pictureHint: 'Le commentaire contient une image.',
  reportPictureHint: 'Le signalement contient une image.',
  picture: 'Voir l’image',
  pictureAlt: (summary) => `Image du signalement : ${summary}`,
  commentPictureAlt: (who) => (who === undefined ? 'Image du commentaire' : `Image du commentaire de ${who}`),
  mapAlt: 'Carte des environs du signalement',
  shortenedHint: 'Ce texte est abrégé. Lisez-le en entier sur la page du signalement.',
  button: 'Voir le signalement',
  mailReasons: {
    follower: 'Vous recevez ce courriel parce que vous suivez le signalement.',
    assignee: 'Vous recevez ce courriel parce que le signalement vous est attribué.',
    author: 'Vous recevez ce courriel parce que vous l’avez écrit.',
  },
  unsubscribe: 'Se désabonner de ce signalement, ou de tous les courriels',
}
