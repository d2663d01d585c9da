/** What the import of a file says where nothing was in it. */
export const nothing = {
  rows: 0,
  imported: 0,
  unchanged: 0,
  rejected: 0,
  rejectedFile: null,
  rejectedFeatures: null,
  ignoredColumns: [],
  newIds: { count: 0, first: [] },
  renumberedFile: null,
  stopped: false,
}
