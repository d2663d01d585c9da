import { RESET_REQUESTED } from '../../accounts/passwords/rules.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { Language } from '../../errors/texts/languages.ts'

type Link = (text: string) => SafeHtml

export interface PasswordTexts {
  readonly forgotTitle: string
  readonly forgotDescription: string
  readonly forgot: string
  readonly email: string
  readonly sendLink: string
  readonly remembered: (logIn: Link) => SafeHtml
  readonly sentTitle: string
  readonly sent: string
  readonly sentHint: string
  readonly resetTitle: string
  readonly resetDescription: string
  readonly reset: string
  readonly newPassword: string
  readonly passwordHint: string
  readonly repeatPassword: string
  readonly setPassword: string
  readonly changedTitle: string
  readonly changedDescription: string
  readonly changed: string
  readonly logIn: string
  readonly expiredTitle: string
  readonly expiredDescription: string
  readonly expired: string
  readonly anotherLink: string
}

export const passwordTexts: Readonly<Record<Language, PasswordTexts>> = {
  en: {
    forgotTitle: 'Forgotten your password?',
    forgotDescription: 'Request a link to choose a new password.',
    forgot: 'Enter the e-mail address of your account. If it is confirmed, we send a link to choose a new password.',
    email: 'E-mail address',
    sendLink: 'Send the link',
    remembered: (logIn) => html`Remembered it? ${logIn('Log in')}`,
    sentTitle: 'Check your mail',
    sent: RESET_REQUESTED,
    sentHint:
      'The link works once, for one hour. If no mail arrives within a few minutes, check your spam folder or try another of your addresses: we send nothing to unconfirmed addresses, or for 72 hours to one that was added to an older one.',
    resetTitle: 'Choose a new password',
    resetDescription: 'The new password applies at once, and all sessions and tokens of the account end.',
    reset: 'All sessions and tokens of your account end, so you must log in again everywhere.',
    newPassword: 'New password',
    passwordHint: '4 to 40 characters.',
    repeatPassword: 'Repeat the new password',
    setPassword: 'Set this password',
    changedTitle: 'Your password is changed',
    changedDescription: 'Log in with the new password.',
    changed: 'Your new password is set. All sessions and tokens have ended.',
    logIn: 'Log in',
    expiredTitle: 'This link does not work any more',
    expiredDescription: 'What to do when the link of a mail does not work.',
    expired:
      'It is unknown, already used or older than an hour: request another link. If your mail program has split the link, copy all of it into the browser.',
    anotherLink: 'Request another link',
  },
  es: {
    forgotTitle: '¿Has olvidado tu contraseña?',
    forgotDescription: 'Pide un enlace para elegir una contraseña nueva.',
    forgot:
      'Indica la dirección de correo de tu cuenta. Si está confirmada, te enviaremos un enlace para elegir una contraseña nueva.',
    email: 'Dirección de correo',
    sendLink: 'Enviar el enlace',
    remembered: (logIn) => html`¿La has recordado? ${logIn('Inicia sesión')}`,
    sentTitle: 'Mira tu correo',
    sent: 'Si es la dirección confirmada de una cuenta, ya le hemos enviado un correo.',
    sentHint:
      'El enlace funciona una sola vez, durante una hora. Si no llega ningún correo en unos minutos, mira en la carpeta de spam o prueba con otra de tus direcciones: no enviamos nada a direcciones sin confirmar ni, durante 72 horas, a una que se añadió a otra más antigua.',
    resetTitle: 'Elige una contraseña nueva',
    resetDescription: 'La contraseña nueva vale desde ahora, y terminan todas las sesiones y claves de la cuenta.',
    reset: 'Terminan todas las sesiones y claves de tu cuenta, así que tendrás que iniciar sesión de nuevo en todas partes.',
    newPassword: 'Contraseña nueva',
    passwordHint: 'De 4 a 40 caracteres.',
    repeatPassword: 'Repite la contraseña nueva',
    setPassword: 'Guardar esta contraseña',
    changedTitle: 'Tu contraseña ha cambiado',
    changedDescription: 'Inicia sesión con la contraseña nueva.',
    changed: 'Tu contraseña nueva ya está activa. Han terminado todas las sesiones y claves.',
    logIn: 'Iniciar sesión',
    expiredTitle: 'Este enlace ya no funciona',
    expiredDescription: 'Qué hacer cuando el enlace de un correo no funciona.',
    expired:
      'Es desconocido, ya se usó o tiene más de una hora: pide otro enlace. Si tu programa de correo ha partido el enlace, cópialo entero en el navegador.',
    anotherLink: 'Pedir otro enlace',
  },
  fr: {
    forgotTitle: 'Mot de passe oublié ?',
    forgotDescription: 'Demandez un lien pour choisir un nouveau mot de passe.',
    forgot:
      'Indiquez l’adresse e-mail de votre compte. Si elle est confirmée, nous vous enverrons un lien pour choisir un nouveau mot de passe.',
    email: 'Adresse e-mail',
    sendLink: 'Envoyer le lien',
    remembered: (logIn) => html`Vous vous en souvenez ? ${logIn('Connectez-vous')}`,
    sentTitle: 'Consultez vos courriels',
    sent: 'Si c’est l’adresse confirmée d’un compte, un courriel vient de lui être envoyé.',
    sentHint:
      'Le lien ne fonctionne qu’une fois, pendant une heure. Si aucun courriel n’arrive d’ici quelques minutes, regardez dans vos courriels indésirables ou essayez une autre de vos adresses : nous n’envoyons rien aux adresses non confirmées ni, pendant 72 heures, à une adresse ajoutée à une plus ancienne.',
    resetTitle: 'Choisissez un nouveau mot de passe',
    resetDescription:
      'Le nouveau mot de passe s’applique tout de suite, et toutes les sessions et tous les jetons du compte prennent fin.',
    reset: 'Toutes les sessions et tous les jetons de votre compte prennent fin : vous devrez vous reconnecter partout.',
    newPassword: 'Nouveau mot de passe',
    passwordHint: 'De 4 à 40 caractères.',
    repeatPassword: 'Répétez le nouveau mot de passe',
    setPassword: 'Enregistrer ce mot de passe',
    changedTitle: 'Votre mot de passe a changé',
    changedDescription: 'Connectez-vous avec le nouveau mot de passe.',
    changed: 'Votre nouveau mot de passe est enregistré. Toutes les sessions et tous les jetons ont pris fin.',
    logIn: 'Se connecter',
    expiredTitle: 'Ce lien ne fonctionne plus',
    expiredDescription: 'Que faire quand le lien d’un courriel ne fonctionne pas.',
    expired:
      'Il est inconnu, déjà utilisé ou vieux de plus d’une heure : demandez un autre lien. Si votre programme de messagerie a coupé le lien, copiez-le en entier dans le navigateur.',
    anotherLink: 'Demander un autre lien',
  },
}
