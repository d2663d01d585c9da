import type { AccountMailTexts } from './composed-mail.ts'

/** The mail does not repeat the name, because it was rejected. */
export const profileRejected: AccountMailTexts = {
  en: ({ emailAddress, url, reason }) => ({
    subject: 'A moderator changed your name and picture',
    intro: [
      `Other users flagged the name or the picture of the Fixpoint account of ${emailAddress}.`,
      'A moderator decided that they cannot stay. Your account now has a neutral name and no picture. Your reports and comments are unchanged.',
      ...(reason === undefined ? [] : [`The moderator says: ${reason}`]),
    ],
    button: 'Choose another name',
    url,
    closing: ['Please choose a name and a picture that are not insulting, advertise nothing and do not imitate another person.'],
  }),
  es: ({ emailAddress, url, reason }) => ({
    subject: 'Un moderador ha cambiado tu nombre y tu imagen',
    intro: [
      `Otros usuarios han denunciado el nombre o la imagen de la cuenta de Fixpoint de ${emailAddress}.`,
      'Un moderador ha decidido que no pueden quedarse. Tu cuenta tiene ahora un nombre neutro y ninguna imagen. Tus reportes y comentarios no han cambiado.',
      ...(reason === undefined ? [] : [`El moderador dice: ${reason}`]),
    ],
    button: 'Elegir otro nombre',
    url,
    closing: ['Elige un nombre y una imagen que no insulten a nadie, no hagan publicidad y no se hagan pasar por otra persona.'],
  }),
  fr: ({ emailAddress, url, reason }) => ({
    subject: 'Un modérateur a changé votre nom et votre image',
    intro: [
      `D’autres utilisateurs ont dénoncé le nom ou l’image du compte Fixpoint de ${emailAddress}.`,
      'Un modérateur a décidé qu’ils ne pouvaient pas rester. Votre compte a maintenant un nom neutre et aucune image. Vos signalements et vos commentaires n’ont pas changé.',
      ...(reason === undefined ? [] : [`Le modérateur dit : ${reason}`]),
    ],
    button: 'Choisir un autre nom',
    url,
    closing: [
      'Choisissez un nom et une image qui n’insultent personne, ne font pas de publicité et ne vous font pas passer pour quelqu’un d’autre.',
    ],
  }),
}
