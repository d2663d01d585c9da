import type { Messages } from './messages.ts'

export const moderation = {
  own_content_in_question: {
    en: 'You wrote this yourself, so you cannot flag it: describe in an answer what is wrong with it.',
    es: 'Lo escribiste tú, así que no puedes denunciarlo: di en una respuesta qué tiene de malo.',
    fr: 'Vous l’avez écrit vous-même, vous ne pouvez donc pas le dénoncer : dites dans une réponse ce qui ne va pas.',
  },
  own_profile: {
    en: 'This is your own profile, so you cannot flag it: change your name or picture in your account.',
    es: 'Este es tu propio perfil, así que no puedes denunciarlo: cambia tu nombre o tu imagen en tu cuenta.',
    fr: 'C’est votre propre profil, vous ne pouvez donc pas le dénoncer : changez votre nom ou votre image dans votre compte.',
  },
  question_pending_review: {
    en: 'The question of this answer is pending review: decide on the question first.',
    es: 'La pregunta de esta respuesta está pendiente de revisión: decide antes sobre la pregunta.',
    fr: 'La question de cette réponse est en attente de modération : décidez d’abord de la question.',
  },
  question_rejected: {
    en: 'The question of this answer was rejected, so the answer cannot be public: you can only reject it, too.',
    es: 'La pregunta de esta respuesta fue rechazada, así que la respuesta no puede ser pública: solo puedes rechazarla también.',
    fr: 'La question de cette réponse a été refusée, la réponse ne peut donc pas être publique : vous pouvez seulement la refuser aussi.',
  },
  question_rejected_before: {
    en: 'This question has already been rejected.',
    es: 'Esta pregunta ya fue rechazada.',
    fr: 'Cette question a déjà été refusée.',
  },
  answer_rejected_before: {
    en: 'This answer has already been rejected.',
    es: 'Esta respuesta ya fue rechazada.',
    fr: 'Cette réponse a déjà été refusée.',
  },
  boxes_missing: {
    en: 'Draw at least one box.',
    es: 'Dibuja al menos un recuadro.',
    fr: 'Dessinez au moins un cadre.',
  },
  box_outside_of_picture: {
    en: 'must lie in the picture: four numbers from 0 to 100, with a width and a height above 0',
    es: 'debe estar dentro de la imagen: cuatro números de 0 a 100, con un ancho y un alto mayores que 0',
    fr: 'doit se trouver dans l’image : quatre nombres de 0 à 100, avec une largeur et une hauteur supérieures à 0',
  },
  items_missing: {
    en: 'Select at least one item.',
    es: 'Selecciona al menos un elemento.',
    fr: 'Sélectionnez au moins un élément.',
  },
  too_many_items: {
    en: 'Select at most {max, number} items.',
    es: 'Selecciona {max, number} elementos como máximo.',
    fr: 'Sélectionnez au plus {max, number} éléments.',
  },
  item_changed: {
    en: 'It changed after the list was loaded: review it again.',
    es: 'Cambió después de cargar la lista: revísalo otra vez.',
    fr: 'Il a changé depuis le chargement de la liste : examinez-le de nouveau.',
  },
  item_not_fully_shown: {
    en: 'The list does not show all of it: open it to approve it.',
    es: 'La lista no lo muestra entero: ábrelo para aprobarlo.',
    fr: 'La liste ne le montre pas en entier : ouvrez-le pour l’approuver.',
  },
  rejection_reason_missing: {
    en: 'Write a reason: the author reads it.',
    es: 'Escribe un motivo: lo lee el autor.',
    fr: 'Écrivez un motif : l’auteur le lit.',
  },
  moderators_only: { en: 'This is for moderators.', es: 'Esto es para moderadores.', fr: 'Ceci est réservé aux modérateurs.' },
  own_content_to_decide: {
    en: 'You wrote this yourself, so another moderator has to decide on it.',
    es: 'Esto lo escribiste tú, así que tiene que decidirlo otro moderador.',
    fr: 'Vous avez écrit ceci : c’est à un autre modérateur d’en décider.',
  },
  subject_missing: {
    en: 'This content no longer exists: you can only reject it.',
    es: 'Este contenido ya no existe: solo puedes rechazarlo.',
    fr: 'Ce contenu n’existe plus : vous pouvez seulement le refuser.',
  },
  issue_pending_review: {
    en: 'The issue of this comment is pending review: decide on the issue first.',
    es: 'El reporte de este comentario está pendiente de revisión: decide antes sobre el reporte.',
    fr: 'Le signalement de ce commentaire est en attente de modération : décidez d’abord du signalement.',
  },
  issue_rejected: {
    en: 'The issue of this comment was rejected, so the comment cannot be public: you can only reject it, too.',
    es: 'El reporte de este comentario fue rechazado, así que el comentario no puede ser público: solo puedes rechazarlo también.',
    fr: 'Le signalement de ce commentaire a été refusé, le commentaire ne peut donc pas être public : vous pouvez seulement le refuser aussi.',
  },
  comment_rejected_before: {
    en: 'This comment has already been rejected.',
    es: 'Este comentario ya fue rechazado.',
    fr: 'Ce commentaire a déjà été refusé.',
  },
  report_rejected_before: {
    en: 'This report has already been rejected.',
    es: 'Este reporte ya fue rechazado.',
    fr: 'Ce signalement a déjà été refusé.',
  },
  approved_by_checks: {
    en: 'This was already approved by the automatic checks.',
    es: 'Esto ya lo aprobaron las comprobaciones automáticas.',
    fr: 'Ceci a déjà été approuvé par les contrôles automatiques.',
  },
  rejected_by_checks: {
    en: 'This was already rejected by the automatic checks.',
    es: 'Esto ya lo rechazaron las comprobaciones automáticas.',
    fr: 'Ceci a déjà été refusé par les contrôles automatiques.',
  },
  approved_by: {
    en: 'This was already approved by {name}.',
    es: 'Esto ya lo aprobó {name}.',
    fr: 'Ceci a déjà été approuvé par {name}.',
  },
  rejected_by: {
    en: 'This was already rejected by {name}.',
    es: 'Esto ya lo rechazó {name}.',
    fr: 'Ceci a déjà été refusé par {name}.',
  },
  field_not_editable: {
    en: 'cannot be edited here: send only {names}',
    es: 'no se puede editar aquí: envía solo {names}',
    fr: 'ne peut pas être modifié ici : envoyez seulement {names}',
  },
} as const satisfies Messages
