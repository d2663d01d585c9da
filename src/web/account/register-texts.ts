import { html, type SafeHtml } from '../../html/template.ts'
import type { Language } from '../../errors/texts/languages.ts'

type Link = (text: string) => SafeHtml

export interface RegisterTexts {
  readonly title: string
  readonly description: string
  readonly name: string
  readonly nameHint: string
  readonly email: string
  readonly emailHint: string
  readonly password: string
  readonly passwordHint: string
  readonly repeatPassword: string
  readonly acceptTerms: (licence: SafeHtml) => SafeHtml
  readonly hasAccount: (logIn: Link) => SafeHtml
  readonly doneTitle: string
  readonly doneDescription: string
  readonly done: string
  readonly nextStep: string
  readonly home: string
  readonly continue: string
  readonly account: string
}

export const registerTexts: Readonly<Record<Language, RegisterTexts>> = {
  en: {
    title: 'Register',
    description: 'Create an account to report what is broken, to comment and to follow.',
    name: 'Name',
    nameHint: 'It is public and appears with your reports. 3 to 40 characters.',
    email: 'E-mail address',
    emailHint: 'To log in, and for mails about what you report and follow. It is not public.',
    password: 'Password',
    passwordHint: '4 to 40 characters.',
    repeatPassword: 'Repeat the password',
    acceptTerms: (licence) => html`I agree that what I report may be published under ${licence}`,
    hasAccount: (logIn) => html`Already have an account? ${logIn('Log in')}`,
    doneTitle: 'You are registered',
    doneDescription: 'You are logged in, and a mail was sent.',
    done: 'You are logged in, and a mail was sent to your address. Follow the link in it to confirm that the address is yours: only then do you get mails about what you report and follow.',
    nextStep: 'You can already report, comment and follow.',
    home: 'Go to the home page',
    continue: 'Continue',
    account: 'Your account',
  },
  es: {
    title: 'Registrarse',
    description: 'Crea una cuenta para reportar lo que está roto, comentar y seguir.',
    name: 'Nombre',
    nameHint: 'Es público y aparece en tus reportes. De 3 a 40 caracteres.',
    email: 'Dirección de correo',
    emailHint: 'Para iniciar sesión y recibir correos sobre lo que reportas y sigues. No es pública.',
    password: 'Contraseña',
    passwordHint: 'De 4 a 40 caracteres.',
    repeatPassword: 'Repite la contraseña',
    acceptTerms: (licence) => html`Acepto que lo que reporte se publique con la licencia ${licence}`,
    hasAccount: (logIn) => html`¿Ya tienes una cuenta? ${logIn('Inicia sesión')}`,
    doneTitle: 'Tu cuenta está creada',
    doneDescription: 'Has iniciado sesión y te hemos enviado un correo.',
    done: 'Has iniciado sesión y hemos enviado un correo a tu dirección. Sigue el enlace que contiene para confirmar que la dirección es tuya: solo entonces recibirás correos sobre lo que reportas y sigues.',
    nextStep: 'Ya puedes reportar, comentar y seguir.',
    home: 'Ir a la página de inicio',
    continue: 'Continuar',
    account: 'Tu cuenta',
  },
  fr: {
    title: 'S’inscrire',
    description: 'Créez un compte pour signaler ce qui est cassé, commenter et suivre.',
    name: 'Nom',
    nameHint: 'Il est public et apparaît sur vos signalements. De 3 à 40 caractères.',
    email: 'Adresse e-mail',
    emailHint: 'Pour vous connecter et recevoir des courriels sur ce que vous signalez et suivez. Elle n’est pas publique.',
    password: 'Mot de passe',
    passwordHint: 'De 4 à 40 caractères.',
    repeatPassword: 'Répétez le mot de passe',
    acceptTerms: (licence) => html`J’accepte que ce que je signale soit publié sous la licence ${licence}`,
    hasAccount: (logIn) => html`Vous avez déjà un compte ? ${logIn('Connectez-vous')}`,
    doneTitle: 'Votre compte est créé',
    doneDescription: 'Votre session est ouverte, et un courriel vous a été envoyé.',
    done: 'Votre session est ouverte, et un courriel a été envoyé à votre adresse. Suivez le lien qu’il contient pour confirmer que l’adresse est la vôtre : c’est seulement alors que vous recevrez des courriels sur ce que vous signalez et suivez.',
    nextStep: 'Vous pouvez déjà signaler, commenter et suivre.',
    home: 'Aller à la page d’accueil',
    continue: 'Continuer',
    account: 'Votre compte',
  },
}
