import type { Language } from '../../errors/texts/languages.ts'
import type { Subject } from '../../flags/queries.ts'

/** The words for a kind of content: articles and adjectives follow its gender. */
interface FlaggedWords {
  readonly this: string
  readonly back: string
  /** The content to write instead of a flag; undefined for a user, to whom nothing can be written. */
  readonly reply: string | undefined
  readonly notPublic: string
}

export interface FlagTexts {
  readonly words: Readonly<Record<Subject['type'], FlaggedWords>>
  readonly title: (words: FlaggedWords) => string
  readonly description: (words: FlaggedWords) => string
  readonly purpose: string
  readonly threshold: (words: FlaggedWords) => string
  readonly once: string
  readonly notFor: (words: FlaggedWords) => string
  readonly notForUser: string
  /** The link to the form for the author's name and picture. */
  readonly flagAuthor: string
  readonly logIn: string
  readonly own: (words: FlaggedWords) => string
  readonly flagged: (words: FlaggedWords) => string
  readonly thanks: string
  readonly message: string
  readonly messageHint: string
}

export const flagTexts: Readonly<Record<Language, FlagTexts>> = {
  en: {
    words: {
      issue: {
        this: 'this issue',
        back: 'Back to the issue',
        reply: 'a comment',
        notPublic: 'This issue is not public, so there is nothing to flag.',
      },
      comment: {
        this: 'this comment',
        back: 'Back to the comment',
        reply: 'a comment',
        notPublic: 'This comment is not public, so there is nothing to flag.',
      },
      question: {
        this: 'this question',
        back: 'Back to the question',
        reply: 'an answer',
        notPublic: 'This question is not public, so there is nothing to flag.',
      },
      answer: {
        this: 'this answer',
        back: 'Back to the answer',
        reply: 'an answer',
        notPublic: 'This answer is not public, so there is nothing to flag.',
      },
      user: {
        this: 'this name and picture',
        back: 'Back to the user',
        reply: undefined,
        notPublic: 'This user is not public, so there is nothing to flag.',
      },
    },
    title: (words) => `Flag ${words.this}`,
    description: (words) => `What a flag on ${words.this} means, and what happens next.`,
    purpose:
      'A flag asks the moderators to remove content that should not be here: an insult, private data, a picture of faces or number plates, advertising, or an invented report.',
    threshold: (words) =>
      `A flag hides nothing by itself. If three people flag ${words.this} with accounts that are older than a day, a moderator decides.`,
    once: 'Flagging twice counts once, and the author does not see who flagged.',
    notFor: ({ reply }) => `Do not flag content because it is incorrect, solved or a duplicate: write ${reply ?? ''} instead.`,
    notForUser: 'This is about the name and the profile picture only: flag a report, comment, question or answer on its own page.',
    flagAuthor: 'Flag the author’s name or profile picture instead',
    logIn: 'Log in to flag it',
    own: (words) =>
      words.reply === undefined
        ? 'This is your own profile, so you cannot flag it.'
        : `You wrote ${words.this} yourself, so you cannot flag it.`,
    flagged: (words) => `You have flagged ${words.this}.`,
    thanks: 'Thank you for telling us.',
    message: 'What is wrong with it?',
    messageHint: 'Only moderators read this.',
  },
  es: {
    words: {
      issue: {
        this: 'este reporte',
        back: 'Volver al reporte',
        reply: 'un comentario',
        notPublic: 'Este reporte no es público, así que no hay nada que denunciar.',
      },
      comment: {
        this: 'este comentario',
        back: 'Volver al comentario',
        reply: 'un comentario',
        notPublic: 'Este comentario no es público, así que no hay nada que denunciar.',
      },
      question: {
        this: 'esta pregunta',
        back: 'Volver a la pregunta',
        reply: 'una respuesta',
        notPublic: 'Esta pregunta no es pública, así que no hay nada que denunciar.',
      },
      answer: {
        this: 'esta respuesta',
        back: 'Volver a la respuesta',
        reply: 'una respuesta',
        notPublic: 'Esta respuesta no es pública, así que no hay nada que denunciar.',
      },
      user: {
        this: 'este nombre y esta imagen',
        back: 'Volver al usuario',
        reply: undefined,
        notPublic: 'Este usuario no es público, así que no hay nada que denunciar.',
      },
    },
    title: (words) => `Denunciar ${words.this}`,
    description: (words) => `Qué significa denunciar ${words.this} y qué pasa después.`,
    purpose:
      'Una denuncia pide a los moderadores que retiren contenido que no debería estar aquí: un insulto, datos privados, una imagen con caras o matrículas, publicidad o un reporte inventado.',
    threshold: (words) =>
      `Una denuncia no oculta nada por sí sola. Si tres personas con cuentas de más de un día denuncian ${words.this}, decide un moderador.`,
    once: 'Denunciar dos veces cuenta una sola vez, y el autor no ve quién ha denunciado.',
    notFor: ({ reply }) =>
      `No denuncies contenido porque sea incorrecto, esté resuelto o esté repetido: en ese caso, escribe ${reply ?? ''}.`,
    notForUser:
      'Se trata solo del nombre y de la imagen de perfil: denuncia un reporte, un comentario, una pregunta o una respuesta en su propia página.',
    flagAuthor: 'Denunciar el nombre o la imagen de perfil del autor',
    logIn: 'Inicia sesión para denunciar',
    own: ({ reply }) =>
      reply === undefined
        ? 'Este es tu propio perfil, así que no puedes denunciarlo.'
        : 'Esto lo escribiste tú, así que no puedes denunciarlo.',
    flagged: (words) => `Has denunciado ${words.this}.`,
    thanks: 'Gracias por avisarnos.',
    message: '¿Qué tiene de malo?',
    messageHint: 'Solo lo leen los moderadores.',
  },
  fr: {
    words: {
      issue: {
        this: 'ce signalement',
        back: 'Retour au signalement',
        reply: 'un commentaire',
        notPublic: 'Ce signalement n’est pas public : il n’y a rien à dénoncer.',
      },
      comment: {
        this: 'ce commentaire',
        back: 'Retour au commentaire',
        reply: 'un commentaire',
        notPublic: 'Ce commentaire n’est pas public : il n’y a rien à dénoncer.',
      },
      question: {
        this: 'cette question',
        back: 'Retour à la question',
        reply: 'une réponse',
        notPublic: 'Cette question n’est pas publique : il n’y a rien à dénoncer.',
      },
      answer: {
        this: 'cette réponse',
        back: 'Retour à la réponse',
        reply: 'une réponse',
        notPublic: 'Cette réponse n’est pas publique : il n’y a rien à dénoncer.',
      },
      user: {
        this: 'ce nom et cette image',
        back: 'Retour à l’utilisateur',
        reply: undefined,
        notPublic: 'Cet utilisateur n’est pas public : il n’y a rien à dénoncer.',
      },
    },
    title: (words) => `Dénoncer ${words.this}`,
    description: (words) => `Ce que veut dire dénoncer ${words.this}, et ce qui se passe ensuite.`,
    purpose:
      'Dénoncer un contenu, c’est demander aux modérateurs de retirer ce qui n’a pas sa place ici : une insulte, des données privées, une image avec des visages ou des plaques d’immatriculation, de la publicité ou un signalement inventé.',
    threshold: (words) =>
      `Une dénonciation ne masque rien à elle seule. Si trois personnes dont le compte a plus d’un jour dénoncent ${words.this}, un modérateur décide.`,
    once: 'Dénoncer deux fois ne compte qu’une fois, et l’auteur ne voit pas qui l’a fait.',
    notFor: ({ reply }) =>
      `Ne dénoncez pas un contenu parce qu’il est inexact, résolu ou en double : dans ce cas, écrivez ${reply ?? ''}.`,
    notForUser:
      'Il s’agit seulement du nom et de l’image de profil : dénoncez un signalement, un commentaire, une question ou une réponse sur sa propre page.',
    flagAuthor: 'Dénoncer plutôt le nom ou l’image de profil de l’auteur',
    logIn: 'Se connecter pour dénoncer',
    own: ({ reply }) =>
      reply === undefined
        ? 'C’est votre propre profil : vous ne pouvez pas le dénoncer.'
        : 'Vous avez écrit ceci vous-même : vous ne pouvez pas le dénoncer.',
    flagged: (words) => `Vous avez dénoncé ${words.this}.`,
    thanks: 'Merci de nous avoir prévenus.',
    message: 'Qu’est-ce qui ne va pas ?',
    messageHint: 'Seuls les modérateurs lisent ceci.',
  },
}
