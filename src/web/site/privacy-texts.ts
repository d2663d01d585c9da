import type { Language } from '../../errors/texts/languages.ts'
import { html } from '../../html/template.ts'
import type { DocumentTexts } from './document-texts.ts'

export const privacyTexts: Readonly<Record<Language, DocumentTexts>> = {
  en: {
    title: 'Privacy',
    description: 'What this site stores about you, what others see, and when it is deleted.',
    sections: (to) => [
      {
        heading: 'What others see',
        items: [
          'Your name, your picture, your civic points, and what you report, comment, ask and answer. Your e-mail addresses and your password are never shown.',
          'If you report without your name, only the staff of the responsible organisation sees who reported it. Answers that a form marks as private are also shown to this staff only.',
          'Reports and comments that are pending review or rejected are visible to you and the moderators only.',
          'If you switch it on in your profile, others find you near your last public report, accurate to about a kilometre.',
        ],
      },
      {
        heading: 'What this site stores',
        items: [
          'Your account: name, e-mail addresses, language, home place, the settings of your mails, and your password as a hash from which it cannot be read.',
          'What you write and upload. The metadata of pictures, with the place where they were taken, is removed before they are stored.',
          'Your votes, the issues that you follow and the areas that you watch.',
          'The mails that were sent to you: when, about what, and whether they arrived.',
          'The requests of your browser: the log of this software has no address of your device, and your address is only used to limit the number of requests. The web server in front of it may keep a log of its own.',
        ],
      },
      {
        heading: 'When it is deleted',
        items: [
          'Devices from which you logged in, as keyed hashes: 90 days after the last login from there.',
          'Names and versions of devices that apps send with a report: after 90 days.',
          'Reports that you write without an account and do not publish: after 7 days, their pictures by the next day.',
          'An address that you enter to get a link to such a report: once the mail is sent.',
          'What you type into a report and its pictures, and what you type into a comment, before you send it: in your browser only, for up to 24 hours. You can discard it there.',
          'E-mail addresses that you remove: 17 days later, because you can take the removal back.',
          'Pictures that are replaced, deleted or redacted: by the next day.',
          'Matches of your watch areas: after 30 days. A login: after 30 days without use.',
          'Backups of the operator contain this data for as long as they are kept.',
        ],
      },
      {
        heading: 'Cookies',
        paragraphs: [
          'This site sets cookies only for what you do: your login (fixpoint_session), the browser from which you logged in (fixpoint_device), a report that you finish later without an account (fixpoint_draft, for 24 hours) and your choice of the language (language). Its pages load no advertisements and no statistics of other companies.',
        ],
      },
      {
        heading: 'Your rights',
        paragraphs: [
          html`You can see and change your data in ${to('/account', 'your account')}. Write to the operator if you want a copy of your data or want to have your account deleted. What you published stays without your name unless you ask to have it removed, too.`,
        ],
      },
    ],
  },
  es: {
    title: 'Privacidad',
    description: 'Lo que este sitio guarda sobre ti, lo que ven los demás y cuándo se borra.',
    sections: (to) => [
      {
        heading: 'Lo que ven los demás',
        items: [
          'Tu nombre, tu imagen, tus puntos cívicos y lo que reportas, comentas, preguntas y respondes. Tus direcciones de correo y tu contraseña no se muestran nunca.',
          'Si reportas sin tu nombre, solo el personal de la organización responsable ve quién reportó. Las respuestas que un formulario marca como privadas también son solo para ese personal.',
          'Los reportes y comentarios pendientes de revisión o rechazados solo son visibles para ti y para los moderadores.',
          'Si lo activas en tu perfil, otros te encuentran cerca de tu último reporte público, con una precisión aproximada de un kilómetro.',
        ],
      },
      {
        heading: 'Lo que guarda este sitio',
        items: [
          'Tu cuenta: nombre, direcciones de correo, idioma, lugar de residencia, los ajustes de tus correos y tu contraseña en forma de hash, del que no se puede leer.',
          'Lo que escribes y subes. Los metadatos de las imágenes, con el lugar donde se tomaron, se eliminan antes de guardarlas.',
          'Tus votos, los reportes que sigues y las zonas que vigilas.',
          'Los correos que se te enviaron: cuándo, sobre qué y si llegaron.',
          'Las peticiones de tu navegador: el registro de este programa no contiene la dirección de tu dispositivo, que solo se usa para limitar el número de peticiones. El servidor web que está delante puede tener su propio registro.',
        ],
      },
      {
        heading: 'Cuándo se borra',
        items: [
          'Los dispositivos desde los que iniciaste sesión, como hashes con clave: 90 días después del último inicio de sesión desde ahí.',
          'Los nombres y versiones de dispositivos que las aplicaciones envían con un reporte: después de 90 días.',
          'Los reportes que escribes sin cuenta y no publicas: después de 7 días; sus imágenes, al día siguiente.',
          'La dirección que indicas para recibir un enlace a un reporte así: cuando el correo se ha enviado.',
          'Lo que escribes en un reporte y sus fotos, y lo que escribes en un comentario, antes de enviarlo: solo en tu navegador, durante 24 horas como máximo. Allí puedes descartarlo.',
          'Las direcciones de correo que quitas: 17 días después, porque puedes deshacer el cambio.',
          'Las imágenes que se sustituyen, se borran o se tapan en parte: a más tardar, al día siguiente.',
          'Las coincidencias de tus zonas vigiladas: después de 30 días. Una sesión: después de 30 días sin uso.',
          'Las copias de seguridad del operador contienen estos datos mientras se conserven.',
        ],
      },
      {
        heading: 'Cookies de este sitio',
        paragraphs: [
          'Este sitio solo usa cookies para lo que haces: tu sesión (fixpoint_session), el navegador desde el que la iniciaste (fixpoint_device), un reporte que terminas más tarde sin cuenta (fixpoint_draft, durante 24 horas) y tu elección del idioma (language). Sus páginas no cargan publicidad ni estadísticas de otras empresas.',
        ],
      },
      {
        heading: 'Tus derechos',
        paragraphs: [
          html`Puedes ver y cambiar tus datos en ${to('/account', 'tu cuenta')}. Escribe al operador si quieres una copia de tus datos o que se borre tu cuenta. Lo que publicaste se conserva sin tu nombre, a menos que pidas que también se elimine.`,
        ],
      },
    ],
  },
  fr: {
    title: 'Confidentialité',
    description: 'Ce que ce site enregistre sur vous, ce que les autres voient, et quand cela est supprimé.',
    sections: (to) => [
      {
        heading: 'Ce que les autres voient',
        items: [
          'Votre nom, votre image, vos points civiques, et ce que vous signalez, commentez, demandez et répondez. Vos adresses e-mail et votre mot de passe ne sont jamais affichés.',
          'Si vous signalez sans votre nom, seul le personnel de l’organisation responsable voit qui a signalé. Les réponses qu’un formulaire indique comme privées sont aussi réservées à ce personnel.',
          'Les signalements et commentaires en attente de décision ou rejetés ne sont visibles que par vous et les modérateurs.',
          'Si vous l’activez dans votre profil, les autres vous trouvent près de votre dernier signalement public, à un kilomètre près environ.',
        ],
      },
      {
        heading: 'Ce que ce site enregistre',
        items: [
          'Votre compte : nom, adresses e-mail, langue, lieu de résidence, réglages de vos courriels, et votre mot de passe sous forme d’une empreinte qui ne permet pas de le lire.',
          'Ce que vous écrivez et envoyez. Les métadonnées des images, avec le lieu de la prise de vue, sont supprimées avant l’enregistrement.',
          'Vos votes, les signalements que vous suivez et les zones que vous surveillez.',
          'Les courriels qui vous ont été envoyés : quand, à quel sujet, et s’ils sont arrivés.',
          'Les requêtes de votre navigateur : le journal de ce logiciel ne contient pas l’adresse de votre appareil, qui ne sert qu’à limiter le nombre de requêtes. Le serveur web placé devant peut tenir son propre journal.',
        ],
      },
      {
        heading: 'Quand cela est supprimé',
        items: [
          'Les appareils depuis lesquels vous vous êtes connecté, sous forme d’empreintes : 90 jours après la dernière connexion.',
          'Les noms et versions d’appareils que les applications envoient avec un signalement : après 90 jours.',
          'Les signalements que vous écrivez sans compte et ne publiez pas : après 7 jours, leurs images le lendemain.',
          'L’adresse que vous indiquez pour recevoir un lien vers un tel signalement : une fois le courriel envoyé.',
          'Ce que vous écrivez dans un signalement et ses photos, et ce que vous écrivez dans un commentaire, avant de l’envoyer : dans votre navigateur seulement, 24 heures au plus. Vous pouvez l’y supprimer.',
          'Les adresses e-mail que vous retirez : 17 jours plus tard, car vous pouvez annuler ce retrait.',
          'Les images remplacées, supprimées ou masquées : au plus tard le lendemain.',
          'Les événements de vos zones surveillées : après 30 jours. Une session : après 30 jours sans utilisation.',
          'Les sauvegardes de l’exploitant contiennent ces données tant qu’elles sont conservées.',
        ],
      },
      {
        heading: 'Témoins (cookies)',
        paragraphs: [
          'Ce site n’enregistre de cookies que pour ce que vous faites : votre session (fixpoint_session), le navigateur de votre connexion (fixpoint_device), un signalement que vous terminez plus tard sans compte (fixpoint_draft, pendant 24 heures) et votre choix de la langue (language). Ses pages ne chargent ni publicité ni statistiques d’autres entreprises.',
        ],
      },
      {
        heading: 'Vos droits',
        paragraphs: [
          html`Vous pouvez voir et modifier vos données dans ${to('/account', 'votre compte')}. Écrivez à l’exploitant pour recevoir une copie de vos données ou faire supprimer votre compte. Ce que vous avez publié reste, sans votre nom, sauf si vous demandez de le retirer aussi.`,
        ],
      },
    ],
  },
}
