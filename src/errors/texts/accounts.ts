import type { Messages } from './messages.ts'

/** Of accounts, e-mail addresses, passwords and tokens. */
export const accounts = {
  must_equal_password: { en: 'must equal password', es: 'debe ser igual a password', fr: 'doit être égal à password' },
  current_password_wrong: {
    en: 'must be your present password, to set a new one',
    es: 'debe ser tu contraseña actual, para poner una nueva',
    fr: 'doit être votre mot de passe actuel, pour en mettre un nouveau',
  },
  required_beside_password: {
    en: 'is required beside password',
    es: 'es obligatorio junto a password',
    fr: 'est obligatoire à côté de password',
  },
  required_beside_email: {
    en: 'is required beside email',
    es: 'es obligatorio junto a email',
    fr: 'est obligatoire à côté de email',
  },
  email_taken: {
    en: 'cannot be added: use another one, or log in if it is yours',
    es: 'no se puede añadir: usa otra, o inicia sesión si es tuya',
    fr: 'ne peut pas être ajoutée : prenez-en une autre, ou connectez-vous si c’est la vôtre',
  },
  too_many_emails: {
    en: 'cannot be added: you have {max, number} addresses, which is the most',
    es: 'no se puede añadir: tienes {max, number} direcciones, que es el máximo',
    fr: 'ne peut pas être ajoutée : vous avez {max, number} adresses, ce qui est le maximum',
  },
  too_many_emails_today: {
    en: 'cannot be added: {max, number} addresses were added within a day, which is the most',
    es: 'no se puede añadir: ya se añadieron {max, number} direcciones en un día, que es el máximo',
    fr: 'ne peut pas être ajoutée : {max, number} adresses ont été ajoutées en un jour, ce qui est le maximum',
  },
  only_email_stays: {
    en: 'the only address of an account cannot be deleted: add another one first',
    es: 'la única dirección de una cuenta no se puede borrar: añade antes otra',
    fr: 'la seule adresse d’un compte ne peut pas être supprimée : ajoutez-en d’abord une autre',
  },
  last_confirmed_email_stays: {
    en: 'the last confirmed address of an account cannot be deleted: confirm another one first',
    es: 'la última dirección confirmada de una cuenta no se puede borrar: confirma antes otra',
    fr: 'la dernière adresse confirmée d’un compte ne peut pas être supprimée : confirmez-en d’abord une autre',
  },
  adders_password_wrong: {
    en: 'must be the password of the account that added the address',
    es: 'debe ser la contraseña de la cuenta que añadió la dirección',
    fr: 'doit être le mot de passe du compte qui a ajouté l’adresse',
  },
  email_already_confirmed: {
    en: 'this address is confirmed already',
    es: 'esta dirección ya está confirmada',
    fr: 'cette adresse est déjà confirmée',
  },
  too_many_mails_asked_for: {
    en: 'enough mails were asked for within an hour: look among the unwanted ones, or ask again later',
    es: 'ya se pidieron bastantes correos en una hora: mira entre los no deseados, o vuelve a pedirlo más tarde',
    fr: 'assez de courriels ont été demandés en une heure : regardez parmi les indésirables, ou redemandez plus tard',
  },
  too_many_mails_sent: {
    en: 'enough mails were sent within an hour: look among the unwanted ones, or ask again later',
    es: 'ya se enviaron bastantes correos en una hora: mira entre los no deseados, o vuelve a pedirlo más tarde',
    fr: 'assez de courriels ont été envoyés en une heure : regardez parmi les indésirables, ou redemandez plus tard',
  },
  confirmation_token_gone: {
    en: 'is unknown, used or older than three days: ask for another mail with POST /emails/:id/confirmation',
    es: 'es desconocido, ya se usó o tiene más de tres días: pide otro correo con POST /emails/:id/confirmation',
    fr: 'est inconnu, déjà utilisé ou vieux de plus de trois jours : demandez un autre courriel avec POST /emails/:id/confirmation',
  },
  confirmation_link_gone: {
    en: 'is unknown, used or older than three days: ask for another mail',
    es: 'es desconocido, ya se usó o tiene más de tres días: pide otro correo',
    fr: 'est inconnu, déjà utilisé ou vieux de plus de trois jours : demandez un autre courriel',
  },
  reset_link_gone: {
    en: 'is unknown, used or older than an hour: ask for another link',
    es: 'es desconocido, ya se usó o tiene más de una hora: pide otro enlace',
    fr: 'est inconnu, déjà utilisé ou vieux de plus d’une heure : demandez un autre lien',
  },
  too_many_tokens: {
    en: 'you have {max, number} tokens, which is the most: delete one that you no longer need',
    es: 'tienes {max, number} tokens, que es el máximo: borra uno que ya no necesites',
    fr: 'vous avez {max, number} jetons, ce qui est le maximum : supprimez-en un dont vous n’avez plus besoin',
  },
  not_in_future: { en: 'must lie in the future', es: 'debe estar en el futuro', fr: 'doit être dans le futur' },
  picture_not_chosen: { en: 'must be chosen first', es: 'hay que elegirla antes', fr: 'doit d’abord être choisie' },
  email_or_password_wrong: {
    en: 'This e-mail address and password do not belong together. Look at both and try again',
    es: 'Esta dirección de correo y esta contraseña no van juntas. Revisa las dos e inténtalo de nuevo',
    fr: 'Cette adresse e-mail et ce mot de passe ne vont pas ensemble. Vérifiez les deux et réessayez',
  },
} as const satisfies Messages
