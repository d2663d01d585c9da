import type { Messages } from './messages.ts'

/** Votes, follows, flags and assignments. */
export const participation = {
  not_voted_for_issue: {
    en: 'You have not voted for this issue.',
    es: 'No has votado por este reporte.',
    fr: 'Vous n’avez pas voté pour ce signalement.',
  },
  issue_already_followed: {
    en: 'You already follow this issue.',
    es: 'Ya sigues este reporte.',
    fr: 'Vous suivez déjà ce signalement.',
  },
  issue_not_followed: {
    en: 'You do not follow this issue.',
    es: 'No sigues este reporte.',
    fr: 'Vous ne suivez pas ce signalement.',
  },
  own_content_in_issue: {
    en: 'You wrote this yourself, so you cannot flag it: describe in a comment what is wrong with it.',
    es: 'Lo escribiste tú, así que no puedes denunciarlo: di en un comentario qué tiene de malo.',
    fr: 'Vous l’avez écrit vous-même, vous ne pouvez donc pas le dénoncer : dites dans un commentaire ce qui ne va pas.',
  },
  not_public_to_flag: {
    en: 'This is not public, so there is nothing to flag.',
    es: 'Esto no es público, así que no hay nada que denunciar.',
    fr: 'Ceci n’est pas public : il n’y a rien à dénoncer.',
  },
  assignee_not_employee: {
    en: 'must be an employee of an organisation that looks after this issue',
    es: 'debe ser un empleado de una organización que se ocupe de este reporte',
    fr: 'doit être un employé d’une organisation qui s’occupe de ce signalement',
  },
  user_id_or_null: {
    en: 'the id of a user, or null to unassign',
    es: 'el id de un usuario, o null para quitar la asignación',
    fr: 'l’id d’un utilisateur, ou null pour retirer l’attribution',
  },
} as const satisfies Messages
