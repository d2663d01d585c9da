import type { Messages } from './messages.ts'

/** Of requests as such: what cannot be read, who may ask, and when to come back. */
export const requests = {
  administrators_only: {
    en: 'This is for administrators of the service.',
    es: 'Esto es para administradores del servicio.',
    fr: 'Ceci est réservé aux administrateurs du service.',
  },
  not_on_board: {
    en: 'The board may not do this: jobs come from what happens in the service.',
    es: 'El tablero no puede hacer esto: los trabajos vienen de lo que ocurre en el servicio.',
    fr: 'Le tableau ne peut pas faire cela : les tâches viennent de ce qui se passe dans le service.',
  },
  point_missing: {
    en: 'A point is needed: give lat and lng.',
    es: 'Hace falta un punto: indica lat y lng.',
    fr: 'Il faut un point : indiquez lat et lng.',
  },
  login_needed: {
    en: 'This needs a login: send HTTP Basic or a Bearer token.',
    es: 'Para esto hay que iniciar sesión: envía HTTP Basic o un token Bearer.',
    fr: 'Il faut être connecté pour cela : envoyez HTTP Basic ou un jeton Bearer.',
  },
  password_needed: {
    en: 'A token is made with the password: send HTTP Basic, or email and password in the body.',
    es: 'Un token se crea con la contraseña: envía HTTP Basic, o email y password en el cuerpo.',
    fr: 'Un jeton se crée avec le mot de passe : envoyez HTTP Basic, ou email et password dans le corps.',
  },
  credentials_wrong: {
    en: 'These credentials are not right.',
    es: 'Estas credenciales no son correctas.',
    fr: 'Ces identifiants ne sont pas corrects.',
  },
  token_over_http: {
    en: 'The access_token parameter is accepted over HTTPS only: send the token as Authorization: Bearer.',
    es: 'El parámetro access_token solo se acepta por HTTPS: envía el token como Authorization: Bearer.',
    fr: 'Le paramètre access_token n’est accepté qu’en HTTPS : envoyez le jeton sous la forme Authorization: Bearer.',
  },
  login_missing: {
    en: 'You must be logged in: send HTTP Basic or a Bearer token.',
    es: 'Tienes que iniciar sesión: envía HTTP Basic o un token Bearer.',
    fr: 'Vous devez être connecté : envoyez HTTP Basic ou un jeton Bearer.',
  },
  user_agent_missing: {
    en: 'Every request must carry a User-Agent header that says what client it is.',
    es: 'Cada petición debe llevar una cabecera User-Agent que diga de qué cliente viene.',
    fr: 'Chaque requête doit porter un en-tête User-Agent qui dit de quel client elle vient.',
  },
  other_site_without_token: {
    en: 'From another site only a Bearer token is accepted, neither Basic nor cookies.',
    es: 'Desde otro sitio solo se acepta un token Bearer, ni Basic ni cookies.',
    fr: 'Depuis un autre site, seul un jeton Bearer est accepté, ni Basic ni cookies.',
  },
  foreign_form: {
    en: 'This did not come from a page of ours, so nothing was done. Open {root} in your browser, log in there, and send it once more.',
    es: 'Esto no vino de una página nuestra, así que no se ha hecho nada. Abre {root} en tu navegador, inicia sesión allí y envíalo otra vez.',
    fr: 'Ceci ne venait pas d’une de nos pages, donc rien n’a été fait. Ouvrez {root} dans votre navigateur, connectez-vous-y et renvoyez-le.',
  },
  other_site_opens_page: {
    en: 'No other site may open this page: type its address.',
    es: 'Ningún otro sitio puede abrir esta página: escribe su dirección.',
    fr: 'Aucun autre site ne peut ouvrir cette page : saisissez son adresse.',
  },
  client_blocked: {
    en: 'This client is blocked for an hour because it went on after it was told to slow down.',
    es: 'Este cliente queda bloqueado durante una hora porque siguió después de que se le pidiera ir más despacio.',
    fr: 'Ce client est bloqué pendant une heure parce qu’il a continué après qu’on lui a demandé de ralentir.',
  },
  too_many_requests: {
    en: 'Too many requests: try again in {seconds, plural, one {1 second} other {{seconds, number, ::group-off} seconds}}.',
    es: 'Demasiadas peticiones: inténtalo de nuevo dentro de {seconds, plural, one {1 segundo} other {# segundos}}.',
    fr: 'Trop de requêtes : réessayez dans {seconds, plural, one {1 seconde} other {# secondes}}.',
  },
  too_many_registrations: {
    en: 'Too many accounts were registered from this address within an hour: try again later.',
    es: 'Se han registrado demasiadas cuentas desde esta dirección en una hora: inténtalo más tarde.',
    fr: 'Trop de comptes ont été créés depuis cette adresse en une heure : réessayez plus tard.',
  },
  method_not_allowed: {
    en: 'This address does not know that method. Allowed: {methods}.',
    es: 'Esta dirección no conoce ese método. Permitidos: {methods}.',
    fr: 'Cette adresse ne connaît pas cette méthode. Autorisées : {methods}.',
  },
  key_in_flight: {
    en: 'A request with this Idempotency-Key is still being answered: ask again shortly.',
    es: 'Una petición con esta Idempotency-Key aún se está respondiendo: pregunta de nuevo dentro de poco.',
    fr: 'Une requête avec cette Idempotency-Key est encore en cours de réponse : redemandez dans un instant.',
  },
  key_malformed: {
    en: 'must be 1 to 255 visible ASCII characters, such as a UUID',
    es: 'debe tener de 1 a 255 caracteres ASCII visibles, como un UUID',
    fr: 'doit comporter de 1 à 255 caractères ASCII visibles, comme un UUID',
  },
  key_used_before: {
    en: 'was used for a request with other content: every new request needs a new key',
    es: 'ya se usó para una petición con otro contenido: cada petición nueva necesita una clave nueva',
    fr: 'a déjà servi pour une requête d’un autre contenu : chaque nouvelle requête demande une nouvelle clé',
  },
  request_too_slow: {
    en: 'The request took too long to arrive.',
    es: 'La petición ha tardado demasiado en llegar.',
    fr: 'La requête a mis trop de temps à arriver.',
  },
  address_too_long: {
    en: 'The address is longer than 8,000 characters.',
    es: 'La dirección tiene más de 8000 caracteres.',
    fr: 'L’adresse compte plus de 8 000 caractères.',
  },
  headers_too_large: {
    en: 'The address and the headers are too long.',
    es: 'La dirección y las cabeceras son demasiado largas.',
    fr: 'L’adresse et les en-têtes sont trop longs.',
  },
  address_badly_encoded: {
    en: 'The percent-encoding of the address is broken.',
    es: 'La codificación por porcentaje de la dirección está dañada.',
    fr: 'L’encodage-pourcent de l’adresse est rompu.',
  },
  not_http: { en: 'This is not an HTTP request.', es: 'Esto no es una petición HTTP.', fr: 'Ceci n’est pas une requête HTTP.' },
  media_type_unsupported: {
    en: 'The body must be application/json, application/x-www-form-urlencoded or multipart/form-data.',
    es: 'El cuerpo debe ser application/json, application/x-www-form-urlencoded o multipart/form-data.',
    fr: 'Le corps doit être de type application/json, application/x-www-form-urlencoded ou multipart/form-data.',
  },
  range_not_satisfiable: {
    en: 'The file has {bytes, number, ::group-off} bytes, and none of those that were asked for.',
    es: 'El archivo tiene {bytes, number} bytes, y ninguno de los que se pidieron.',
    fr: 'Le fichier compte {bytes, number} octets, et aucun de ceux qui ont été demandés.',
  },
  internal_error: {
    en: 'Something went wrong on our side. The request id helps us to find it.',
    es: 'Algo ha fallado por nuestra parte. El identificador de la petición nos ayuda a encontrarlo.',
    fr: 'Quelque chose s’est mal passé de notre côté. L’identifiant de la requête nous aide à le trouver.',
  },
  search_too_slow: {
    en: 'This takes too long to find: ask for a smaller area or an earlier page, or try again later.',
    es: 'Esto tarda demasiado en encontrarse: pide una zona más pequeña o una página anterior, o inténtalo más tarde.',
    fr: 'C’est trop long à trouver : demandez une zone plus petite ou une page antérieure, ou réessayez plus tard.',
  },
  geocoder_away: {
    en: 'The geocoder does not answer as it should: try again later, or send lat and lng.',
    es: 'El geocodificador no responde como debería: inténtalo más tarde, o envía lat y lng.',
    fr: 'Le géocodeur ne répond pas comme il le devrait : réessayez plus tard, ou envoyez lat et lng.',
  },
  too_many_uploads: {
    en: 'Too many files are being sent just now: try again shortly.',
    es: 'Ahora mismo se están enviando demasiados archivos: inténtalo de nuevo dentro de poco.',
    fr: 'Trop de fichiers sont envoyés en ce moment : réessayez dans un instant.',
  },
  service_unavailable: {
    en: 'The service cannot answer just now: try again shortly.',
    es: 'El servicio no puede responder ahora mismo: inténtalo de nuevo dentro de poco.',
    fr: 'Le service ne peut pas répondre en ce moment : réessayez dans un instant.',
  },
} as const satisfies Messages
