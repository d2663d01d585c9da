import type { NotificationWords } from './notification-words.ts'

export const es: NotificationWords = {
  anonymous: 'Un usuario anónimo',
  statuses: { Open: 'abierto', Acknowledged: 'reconocido', Closed: 'cerrado', Archived: 'archivado' },
  status: (status) => `Estado: ${status}`,
  headings: {
    'comment.added': (who) => `${who} ha escrito un comentario`,
    'issue.acknowledged': (who) => `${who} ha reconocido este reporte`,
    'issue.closed': (who) => `${who} ha cerrado este reporte`,
    'issue.reopened': (who) => `${who} ha reabierto este reporte`,
    'issue.assigned': () => 'Se te ha asignado este reporte',
    'issue.rejected': () => 'Tu reporte no se ha publicado',
    'comment.rejected': () => 'Tu comentario no se ha publicado',
    'comment.transition_refused': () => 'Tu comentario se ha publicado; el estado no ha cambiado',
  },
  subjects: {
    'comment.added': (summary, who) =>
      who === undefined ? `Comentario nuevo: ${summary}` : `Comentario nuevo de ${who}: ${summary}`,
    'issue.acknowledged': (summary) => `Reconocido: ${summary}`,
    'issue.closed': (summary) => `Cerrado: ${summary}`,
    'issue.reopened': (summary) => `Reabierto: ${summary}`,
    'issue.assigned': (summary) => `Se te ha asignado: ${summary}`,
    'issue.rejected': (summary) => `Tu reporte no se ha publicado: ${summary}`,
    'comment.rejected': (summary) => `Tu comentario no se ha publicado: ${summary}`,
    'comment.transition_refused': (summary) => `Comentario publicado, estado sin cambios: ${summary}`,
  },
  explanations: {
    'issue.rejected': ['Un moderador ha revisado tu reporte y ha decidido no publicarlo. Todavía puedes verlo en su página.'],
    'comment.rejected': ['Un moderador ha revisado tu comentario y ha decidido no publicarlo.'],
    'comment.transition_refused': [
      'Tu comentario también debía cambiar el estado del reporte. Cuando un moderador lo aprobó, ese cambio ya no era posible.',
    ],
  },
  reason: (text) => `El moderador dice: ${text}`,
  pictureHint: 'El comentario tiene una imagen.',
  reportPictureHint: 'El reporte tiene una imagen.',
  picture: 'Ver la imagen',
  pictureAlt: (summary) => `Imagen del reporte: ${summary}`,
  commentPictureAlt: (who) => (who === undefined ? 'Imagen del comentario' : `Imagen del comentario de ${who}`),
  mapAlt: 'Mapa de los alrededores del reporte',
  shortenedHint: 'Este texto está abreviado. Léelo completo en la página del reporte.',
  button: 'Ver el reporte',
  mailReasons: {
    follower: 'Recibes este correo porque sigues el reporte.',
    assignee: 'Recibes este correo porque el reporte se te ha asignado.',
    author: 'Recibes este correo porque lo escribiste tú.',
  },
  unsubscribe: 'Cancelar la suscripción a este reporte, o a todos los correos',
}
