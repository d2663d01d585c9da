import type { NotificationWords } from './notification-words.ts'

export const es: NotificationWords = {
  anonymous: 'Un usuario anónimo',
  statuses: { Open: 'abierto', Acknowledged: 'reconocido', Closed: 'cerrado', Archived: 'archivado' },
  status: (status) => `Estado: ${status}`,
  headings: {
    'comment.added': (who) => `${who} ha escrito un comentario`,
    'issue.acknowledged': (who) => `${who} ha reconocido este reporte`,
    'issue.closed': (who) => `${who} ha cerrado este reporte`,
    'issue.opened': (who) => `${who} ha vuelto a abrir este reporte`,
    'issue.assigned': () => 'Este reporte se te ha asignado',
    'issue.rejected': () => 'Tu reporte no se ha publicado',
    'comment.rejected': () => 'Tu comentario no se ha publicado',
    'comment.move_refused': () => 'Tu comentario se ha publicado, el estado sigue igual',
  },
  subjects: {
    'issue.assigned': (summary) => `Se te ha asignado: ${summary}`,
    'issue.rejected': (summary) => `No publicado: ${summary}`,
    'comment.rejected': (summary) => `Tu comentario no se ha publicado: ${summary}`,
    'comment.move_refused': (summary) => `Tu comentario se ha publicado: ${summary}`,
  },
  explanations: {
    'issue.rejected': ['Un moderador ha revisado tu reporte y ha decidido que no se publique. Tú lo sigues viendo en su página.'],
    'comment.rejected': ['Un moderador ha revisado tu comentario y ha decidido que no se publique.'],
    'comment.move_refused': [
      'Con él querías cambiar el estado del reporte. Cuando un moderador revisó tu comentario, el reporte ya había avanzado y ese cambio ya no era posible.',
    ],
  },
  reason: (text) => `El moderador dice: ${text}`,
  pictureHint: 'Lleva una imagen.',
  picture: 'Ver la imagen',
  shortenedHint: 'El texto continúa; está entero en la página del reporte.',
  button: 'Ver el reporte',
  mailReasons: {
    follower: 'Recibes este correo porque sigues el reporte.',
    assignee: 'Recibes este correo porque el reporte se te ha asignado.',
    author: 'Recibes este correo porque lo escribiste tú.',
  },
  unsubscribe: 'No recibir más correos sobre este reporte, o ninguno',
}
