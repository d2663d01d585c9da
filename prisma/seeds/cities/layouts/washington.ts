import { line, list, polygon, rectangle, type CityLayout } from './layout.ts'

export const layout: CityLayout = {
  bearing: 0,
  numbersFrom: [-77.0091, 38.8899],
  directions: 'quadrants',
  northSouth: {
    spacing_m: 150,
    endings: ['St', 'Pl', 'Ct', 'Ave', 'Ter', 'Ln', 'Dr', 'Way', 'Rd', 'Cir'],
    names: list(`
      1st, 2nd, 3rd, 4th, 5th, 6th, 9th, 10th, 11th, 13th, 15th, 17th, 19th, 20th, 21st, 22nd, 23rd, 24th, 25th, 26th,
      27th, 28th, 29th, 30th, 31st, 33rd, 34th, 35th, 36th, 37th, 38th, 39th, 40th, 41st, 42nd, 43rd, 44th, 45th, 46th,
      47th, 48th, 49th`),
  },
  eastWest: {
    spacing_m: 125,
    endings: ['St', 'Pl', 'Ter', 'Ave', 'Ct', 'Ln', 'Dr', 'Way', 'Rd', 'Cir'],
    names: list(`
      C, D, E, F, G, I, L, N, O, Q, R, S, T, V, Corcoran, Swann, Belmont, Chapin, Clifton, Euclid, Fairmont, Girard,
      Harvard, Irving, Kenyon, Lamont, Morton, Newton, Otis, Park, Perry, Quebec, Quincy, Randolph, Shepherd, Taylor,
      Varnum, Webster, Allison, Buchanan, Crittenden, Decatur, Emerson, Farragut, Gallatin, Hamilton, Ingraham,
      Jefferson, Kennedy, Longfellow, Madison, Nicholson`),
  },
  hubBearings: {
    'Cleveland Park': -12,
    Anacostia: -22,
    Benning: -18,
  },
  neighborhoods: [
    ['Shaw', [-77.022, 38.913]],
    ['Bloomingdale', [-77.012, 38.917]],
    ['Adams Morgan', [-77.042, 38.9225]],
    ['Mount Pleasant', [-77.0385, 38.931]],
    ['Brightwood', [-77.03, 38.96]],
    ['Takoma', [-77.015, 38.973]],
    ['Chevy Chase', [-77.07, 38.965]],
    ['Glover Park', [-77.075, 38.921]],
    ['Foggy Bottom', [-77.05, 38.9]],
    ['Southwest', [-77.018, 38.879]],
    ['Trinidad', [-76.985, 38.908]],
    ['Congress Heights', [-76.995, 38.842], -20],
    ['Deanwood', [-76.93, 38.903], -18],
    ['Fort Totten', [-76.998, 38.952]],
    ['Hillcrest', [-76.955, 38.861], -22],
    ['Woodridge', [-76.968, 38.934]],
  ],
  openSpaces: [
    line(
      'water',
      640,
      '-77.12 38.935, -77.085 38.904, -77.064 38.9015, -77.054 38.893, -77.047 38.88, -77.036 38.868, -77.032 38.845, -77.037 38.81, -77.039 38.785',
    ),
    line(
      'water',
      340,
      '-77.03 38.85, -77.018 38.863, -77.005 38.8705, -76.985 38.8735, -76.97 38.883, -76.961 38.898, -76.945 38.914',
    ),
    rectangle('park', '-77.052 38.8865, -77.0125 38.893'),
    polygon('park', '-77.044 38.8865, -77.036 38.875, -77.024 38.856, -77.02 38.857, -77.03 38.881'),
    line('park', 620, '-77.054 38.905, -77.049 38.92, -77.045 38.935, -77.05 38.955, -77.045 38.985'),
    rectangle('park', '-76.982 38.905, -76.953 38.919'),
    polygon('park', '-77.025 38.82, -77.003 38.82, -77.007 38.862, -77.02 38.858'),
    rectangle('park', '-77.016 38.931, -77.003 38.944'),
    rectangle('park', '-77.0395 38.8935, -77.034 38.9'),
    rectangle('park', '-77.071 38.918, -77.062 38.925'),
    line('park', 260, '-77.083 38.908, -77.081 38.925, -77.085 38.94'),
    polygon('park', '-76.955 38.875, -76.935 38.872, -76.932 38.883, -76.948 38.885'),
  ],
}
