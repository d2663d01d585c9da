import type { Messages } from './messages.ts'

export const accounts = {
  must_equal_password: { en: 'must equal password', es: 'debe ser igual a password', fr: 'doit être égal à password' },
  current_password_wrong: {
    en: 'must be your current password: you need it to set a new one',
    es: 'debe ser tu contraseña actual: la necesitas para poner una nueva',
    fr: 'doit être votre mot de passe actuel : il le faut pour en choisir un nouveau',
  },
  required_with_password: {
    en: 'is required together with password',
    es: 'es obligatorio junto con password',
    fr: 'est obligatoire avec password',
  },
  required_with_email: {
    en: 'is required together with email',
    es: 'es obligatorio junto con email',
    fr: 'est obligatoire avec email',
  },
  email_taken: {
    en: 'cannot be added: use another address, or log in if this one is yours',
    es: 'no se puede añadir: usa otra dirección, o inicia sesión si esta es tuya',
    fr: 'ne peut pas être ajoutée : prenez une autre adresse, ou connectez-vous si celle-ci est la vôtre',
  },
  too_many_emails: {
    en: 'cannot be added: you already have the maximum of {max, number} addresses',
    es: 'no se puede añadir: ya tienes el máximo de {max, number} direcciones',
    fr: 'ne peut pas être ajoutée : vous avez déjà le maximum de {max, number} adresses',
  },
  too_many_emails_today: {
    en: 'cannot be added: you can add at most {max, number} addresses a day, so try again tomorrow',
    es: 'no se puede añadir: puedes añadir {max, number} direcciones al día como máximo, así que inténtalo mañana',
    fr: 'ne peut pas être ajoutée : vous pouvez ajouter au plus {max, number} adresses par jour, réessayez donc demain',
  },
  last_email_required: {
    en: 'the only address of an account cannot be deleted: add another one first',
    es: 'la única dirección de una cuenta no se puede borrar: añade antes otra',
    fr: 'la seule adresse d’un compte ne peut pas être supprimée : ajoutez-en d’abord une autre',
  },
  last_confirmed_email_required: {
    en: 'the last confirmed address of an account cannot be deleted: confirm another one first',
    es: 'la última dirección confirmada de una cuenta no se puede borrar: confirma antes otra',
    fr: 'la dernière adresse confirmée d’un compte ne peut pas être supprimée : confirmez-en d’abord une autre',
  },
  adder_password_wrong: {
    en: 'must be the password of the account that added the address',
    es: 'debe ser la contraseña de la cuenta que añadió la dirección',
    fr: 'doit être le mot de passe du compte qui a ajouté l’adresse',
  },
  email_already_confirmed: {
    en: 'this address is confirmed already',
    es: 'esta dirección ya está confirmada',
    fr: 'cette adresse est déjà confirmée',
  },
  too_many_mails_requested: {
    en: 'too many mails were requested within an hour: check your spam folder, or try again later',
    es: 'se han pedido demasiados correos en una hora: mira en la carpeta de spam, o inténtalo más tarde',
    fr: 'trop de courriels ont été demandés en une heure : regardez dans vos courriels indésirables, ou réessayez plus tard',
  },
  too_many_mails_sent: {
    en: 'too many mails were sent within an hour: check your spam folder, or try again later',
    es: 'se han enviado demasiados correos en una hora: mira en la carpeta de spam, o inténtalo más tarde',
    fr: 'trop de courriels ont été envoyés en une heure : regardez dans vos courriels indésirables, ou réessayez plus tard',
  },
  confirmation_token_expired: {
    en: 'is unknown, already used or older than three days: request another mail with POST /emails/:id/confirmation',
    es: 'es desconocido, ya se usó o tiene más de tres días: pide otro correo con POST /emails/:id/confirmation',
    fr: 'est inconnu, déjà utilisé ou vieux de plus de trois jours : demandez un autre courriel avec POST /emails/:id/confirmation',
  },
  confirmation_link_expired: {
    en: 'is unknown, already used or older than three days: request another mail',
    es: 'es desconocido, ya se usó o tiene más de tres días: pide otro correo',
    fr: 'est inconnu, déjà utilisé ou vieux de plus de trois jours : demandez un autre courriel',
  },
  reset_link_expired: {
    en: 'is unknown, already used or older than an hour: request another link',
    es: 'es desconocido, ya se usó o tiene más de una hora: pide otro enlace',
    fr: 'est inconnu, déjà utilisé ou vieux de plus d’une heure : demandez un autre lien',
  },
  too_many_tokens: {
    en: 'you already have the maximum of {max, number} tokens: delete one that you no longer need',
    es: 'ya tienes el máximo de {max, number} tokens: borra uno que ya no necesites',
    fr: 'vous avez déjà le maximum de {max, number} jetons : supprimez-en un dont vous n’avez plus besoin',
  },
  not_in_future: { en: 'must be in the future', es: 'debe estar en el futuro', fr: 'doit être dans le futur' },
  picture_missing: {
    en: 'is missing: choose a picture first',
    es: 'falta: elige antes una imagen',
    fr: 'manque : choisissez d’abord une image',
  },
  email_or_password_wrong: {
    en: 'The e-mail address or the password is wrong. Check both and try again',
    es: 'La dirección de correo o la contraseña no es correcta. Revisa las dos e inténtalo de nuevo',
    fr: 'L’adresse e-mail ou le mot de passe est incorrect. Vérifiez les deux et réessayez',
  },
} as const satisfies Messages
