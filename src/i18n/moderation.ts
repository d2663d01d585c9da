import type { Texts } from './texts.ts'

/** Of what moderators decide. */
export const moderation = {
  'This is for moderators.': { es: 'Esto es para moderadores.', fr: 'Ceci est réservé aux modérateurs.' },
  'You wrote this yourself, so somebody else has to decide on it.': {
    es: 'Esto lo escribiste tú, así que tiene que decidirlo otra persona.',
    fr: 'Vous avez écrit ceci : c’est à quelqu’un d’autre d’en décider.',
  },
  'What this was about is gone: it can only be rejected.': {
    es: 'Aquello de lo que se trataba ya no existe: solo se puede rechazar.',
    fr: 'Ce dont il s’agissait n’existe plus : on ne peut que le refuser.',
  },
  'Its issue is held: decide on the issue first.': {
    es: 'Su reporte está retenido: decide antes sobre el reporte.',
    fr: 'Son signalement est retenu : décidez d’abord du signalement.',
  },
  'Its issue was rejected, so nobody could see it: the comment can only be rejected, too.': {
    es: 'Su reporte fue rechazado, así que nadie podría verlo: el comentario también solo se puede rechazar.',
    fr: 'Son signalement a été refusé, personne ne pourrait donc le voir : le commentaire ne peut qu’être refusé aussi.',
  },
  'This comment was rejected before.': {
    es: 'Este comentario ya fue rechazado.',
    fr: 'Ce commentaire a déjà été refusé.',
  },
  'This report was rejected before.': { es: 'Este reporte ya fue rechazado.', fr: 'Ce signalement a déjà été refusé.' },
  'This was already approved by the slower checks.': {
    es: 'Esto ya lo aprobaron las comprobaciones más lentas.',
    fr: 'Ceci a déjà été approuvé par les contrôles plus lents.',
  },
  'This was already rejected by the slower checks.': {
    es: 'Esto ya lo rechazaron las comprobaciones más lentas.',
    fr: 'Ceci a déjà été refusé par les contrôles plus lents.',
  },
  'This was already approved by {name}.': { es: 'Esto ya lo aprobó {name}.', fr: 'Ceci a déjà été approuvé par {name}.' },
  'This was already rejected by {name}.': { es: 'Esto ya lo rechazó {name}.', fr: 'Ceci a déjà été refusé par {name}.' },
  'is no text of {phrase}, which has {names}': {
    es: 'no es un texto de {phrase}, que tiene {names}',
    fr: 'n’est pas un texte {phrase}, qui a {names}',
  },
  'a report': { es: 'un reporte', fr: 'd’un signalement' },
  'a comment': { es: 'un comentario', fr: 'd’un commentaire' },
} satisfies Texts
